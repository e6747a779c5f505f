// SPDX-License-Identifier: MIT

package import OppiClient
package import OppiModel
import OppiSystem
import OppiText
import OppiWire

/// The budgets of a workspace, and what its sessions have cost.
package struct WorkspaceBudget: Sendable {
  private let workspace: ServerWorkspace
  private let budget: Budget
  /// `nil` if nothing is known of the costs.
  private var ledger: SpendingLedger?
  /// Whether the server was queried; otherwise more may have been spent.
  package private(set) var isCurrent = false

  /// `server/workspace`.
  package var place: String { workspace.qualifiedName }

  fileprivate var server: PairedServer { workspace.server }

  /// `nil` if the settings have no budget of a period for the workspace.
  fileprivate init?(
    _ workspace: ServerWorkspace,
    by settings: WorkspaceSettings,
    _ ledger: SpendingLedger?
  ) throws {
    var budget = Budget()
    try budget.take(settings)
    guard budget.isOfPeriods else { return nil }
    (self.workspace, self.budget, self.ledger) = (workspace, budget, ledger)
  }

  /// Adds the present costs to what is known, without recording them.
  fileprivate mutating func take(_ sessions: [Session], on today: LocalDate) {
    guard let reference = workspace.reference else { return }
    ledger = ledger ?? SpendingLedger()
    ledger?.take(Services.costs(in: reference, of: sessions), on: today)
    isCurrent = true
  }

  package func uses(on date: LocalDate) -> [BudgetUse] { budget.uses(in: ledger, on: date) }
}

extension Context {
  /// The budgets of all known workspaces by the files of this machine.
  ///
  /// - Throws: If the settings or the record of costs cannot be used.
  package func workspaceBudgets() async throws -> [WorkspaceBudget] {
    let settings = try services.config.load()
    let ledgers = try services.spending.load() ?? KeyedRecords()
    var budgets: [WorkspaceBudget] = []
    for workspace in await knownWorkspaces() {
      let own = try await self.settings(settings, in: workspace)
      let ledger = try workspace.reference.flatMap { reference throws(FileError) in
        try services.spending.ledger(of: reference, in: ledgers)
      }
      if let budget = try WorkspaceBudget(workspace, by: own, ledger) { budgets.append(budget) }
    }
    return budgets.sorted { $0.place < $1.place }
  }

  /// The budgets with the present costs of their servers, and why servers could not be queried.
  ///
  /// - Throws: If the list of servers cannot be read; `CancellationError`.
  package func queried(
    _ budgets: [WorkspaceBudget]
  ) async throws -> (budgets: [WorkspaceBudget], failures: FleetFailures) {
    let today = LocalTime.date(at: now())
    let limited = Set(budgets.map(\.server.id))
    let servers = try services.serverStore.load().servers.filter { limited.contains($0.id) }
    let answers = try await services.fleet(of: servers).answers {
      (calls, _) throws(OppiError) in
      try await calls.listSessions()
    }
    var budgets = budgets
    for index in budgets.indices {
      let answer = answers.first { $0.server.id == budgets[index].server.id }
      guard case .success(let sessions)? = answer?.result else { continue }
      budgets[index].take(sessions, on: today)
    }
    return (budgets, FleetFailures(answers))
  }
}
