// SPDX-License-Identifier: MIT

import OppiClient
import OppiModel
import OppiPrompts
import OppiText

enum CostsEffect: TabEffect {
  /// Read the costs of prompts, and the budgets with what is used of them.
  case read

  var isChange: Bool { false }

  func perform(in console: ConsoleLoop) async { await console.readCosts() }
}

enum CostsNews: TabNews {
  /// The costs of the prompts of this machine, or why they cannot be read, safe to show.
  case summed(CostSummary?, problem: String?)
  /// The budgets of workspaces, and what could not be read, safe to show.
  case limited([WorkspaceBudget], problems: [String])
}

extension ConsoleEffect {
  static func costs(_ effect: CostsEffect) -> ConsoleEffect { .own(effect) }
}

extension ConsoleNews {
  static func costs(_ news: CostsNews) -> ConsoleNews { .own(news) }
}

extension ConsoleLoop {
  /// Reads the files of this machine, and then asks the servers of workspaces with a budget.
  fileprivate func readCosts() async {
    do {
      report(.costs(.summed(try await HistoryCosts.summary(in: context), problem: nil)))
    } catch {
      report(.costs(.summed(nil, problem: Self.line(of: error))))
    }
    do {
      let stored = try await context.workspaceBudgets()
      report(.costs(.limited(stored, problems: [])))
      guard !stored.isEmpty else { return }
      let (budgets, failures) = try await context.queried(stored)
      let problems = failures.errors.map { Self.line(of: $0) }
      report(.costs(.limited(budgets, problems: problems)))
    } catch {
      report(.costs(.limited([], problems: [Self.line(of: error)])))
    }
  }

  private static func line(of error: any Error) -> String {
    OppiError(error).message.safeLine(limit: 300)
  }
}
