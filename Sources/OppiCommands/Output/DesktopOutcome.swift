// SPDX-License-Identifier: MIT

import CommandTable
import EventLoop
import OppiIntents
import OppiModel
import OppiRendering
import OppiSystem

/// What came of a command, told on the desktop where nobody sees a terminal: behind a key, a menu or
/// a device.
struct DesktopOutcome {
  /// A desktop that takes longer is not waited for.
  private static let limit = Duration.seconds(2)
  /// As much of an answer as is read in passing.
  private static let bodyLimit = 300

  let command: String
  let context: Context

  /// The options of a command whose outcome may be told on the desktop.
  enum When: String, Sendable, CaseIterable, ArgumentValue {
    /// Where there is no terminal, but a session bus.
    case auto
    case always
    case never

    static var placeholder: String { "WHEN" }
  }

  /// Runs the body and tells its outcome, a success once it was printed.
  func telling(_ when: When, _ body: () async throws -> Report) async throws -> Report {
    guard isWanted(when) else { return try await body() }
    do {
      var report = try await body()
      let last = report.afterwards
      let (summary, text) = words(for: report)
      report.afterwards = {
        await last?()
        await tell(summary, text, hasFailed: false)
      }
      if let failure = report.failure { report.afterwards = telling(failure, after: last) }
      return report
    } catch let error as UsageError {
      throw error
    } catch {
      await telling(OppiError(error), after: nil)()
      throw error
    }
  }

  /// Returns what the body makes, and tells its failure alone.
  func value<Value>(_ when: When, _ body: () async throws -> Value) async throws -> Value {
    do {
      return try await body()
    } catch {
      if isWanted(when) { await telling(OppiError(error), after: nil)() }
      throw error
    }
  }

  private func isWanted(_ when: When) -> Bool {
    switch when {
    case .always: true
    case .never: false
    case .auto:
      !context.console.policy.destination.hasTerminal && context.desktop.hasSessionBus
    }
  }

  private func telling(
    _ failure: OppiError,
    after last: (@Sendable () async -> Void)?
  ) -> @Sendable () async -> Void {
    {
      await last?()
      await tell(failure)
    }
  }

  /// Tells of a failure, unless a person has ended it, and nothing goes on without it.
  func tell(_ failure: OppiError) async {
    guard failure.isWorthTelling else { return }
    let text = ([failure.message] + failure.hints).joined(separator: "\n")
    await tell("oppi \(command) failed", text, hasFailed: true)
  }

  private func words(for report: Report) -> (summary: String, body: String) {
    if let status = report.status { return (status.plain, "") }
    let lines = context.console.lines(of: report)
    let body = lines.joined(separator: "\n").safeBlock()
    let end = body.count > Self.bodyLimit ? "…" : ""
    return ("oppi \(command): done", body.prefix(Self.bodyLimit) + end)
  }

  /// Shows a notification; a desktop that cannot is no failure of the command.
  private func tell(_ summary: String, _ body: String, hasFailed: Bool) async {
    let settings = try? context.config.load()
    // Settings that cannot be read may ask for privacy; why a command has failed is told even so.
    var isPrivate = !hasFailed
    if let settings, let value = try? settings.value(of: .notifyPrivate, as: Truth.self) ?? .false {
      isPrivate = value == .true
    }
    let command = (try? settings?.value(of: .notifyCommand, as: ProgramLine.self))??.words
    var notification = DesktopNotification(tag: "command-\(self.command)", summary: summary)
    notification.body = isPrivate ? "" : body
    notification.urgency = hasFailed ? .normal : .low
    notification.category = hasFailed ? "x-oppi.failed" : "x-oppi.done"
    await withTaskGroup(of: Void.self) { [notification, context] group in
      group.addTask {
        let notifier = try? await context.desktop.notifier(command: command, on: context.loop)
        try? await notifier?.show(notification)
      }
      group.addTask { try? await context.loop.sleep(for: Self.limit) }
      await group.next()
      group.cancelAll()
    }
  }
}

extension OutputPolicy.Destination {
  /// Whether any of the three streams is a terminal.
  fileprivate var hasTerminal: Bool { isInputTerminal || isOutputTerminal || isErrorTerminal }
}
