// SPDX-License-Identifier: MIT

package import CommandTable
import EventLoop
import OppiSystem
import OppiTerminal
import OppiText

/// Shows the outcome of a command on the desktop if there is no terminal, as for a hotkey, a menu
/// or a device.
package struct DesktopOutcome {
  /// How long to wait for the desktop.
  private static let limit = Duration.seconds(2)
  /// The most characters of a result to show.
  private static let bodyLimit = 300

  package let command: String
  package let context: Context

  package init(command: String, context: Context) {
    (self.command, self.context) = (command, context)
  }

  /// When to show the outcome on the desktop.
  package enum When: String, Sendable, CaseIterable, ArgumentValue {
    /// Without a terminal, and with a session bus.
    case auto
    case always
    case never

    package static var placeholder: String { "WHEN" }
  }

  /// Runs the body and shows its outcome; a success only after it was printed.
  package func notifying(_ when: When, _ body: () async throws -> Report) async throws -> Report {
    guard isWanted(when) else { return try await body() }
    do {
      var report = try await body()
      let (last, failure) = (report.afterwards, report.failure)
      let (summary, text) = words(for: report)
      report.afterwards = {
        await last?()
        if let failure { return await notify(failure) }
        await notify(summary, text, hasFailed: false)
      }
      return report
    } catch let error as UsageError {
      throw error
    } catch {
      await notify(OppiError(error))
      throw error
    }
  }

  /// Runs the body, and shows only its failure.
  package func value<Value>(_ when: When, _ body: () async throws -> Value) async throws -> Value {
    do {
      return try await body()
    } catch {
      if isWanted(when) { await notify(OppiError(error)) }
      throw error
    }
  }

  private func isWanted(_ when: When) -> Bool {
    switch when {
    case .always: true
    case .never: false
    case .auto:
      !context.output.policy.destination.hasTerminal && context.desktop.hasSessionBus
    }
  }

  /// Shows a failure, unless it is an interruption without hints.
  package func notify(_ failure: OppiError) async {
    guard failure.isWorthReporting else { return }
    let text = ([failure.message] + failure.hints).joined(separator: "\n")
    await notify("oppi \(command) failed", text, hasFailed: true)
  }

  private func words(for report: Report) -> (summary: String, body: String) {
    if let status = report.status { return (status.plain, "") }
    let lines = context.output.lines(of: report)
    let body = lines.joined(separator: "\n").safeBlock()
    let end = body.count > Self.bodyLimit ? "…" : ""
    return ("oppi \(command): done", body.prefix(Self.bodyLimit) + end)
  }

  /// Shows a notification; ignores failures of the desktop.
  private func notify(_ summary: String, _ body: String, hasFailed: Bool) async {
    let settings = try? context.config.load()
    // Unreadable settings may require privacy, which hides results, but not the reason of a
    // failure.
    var isPrivate = !hasFailed
    if let settings,
      let value = try? settings.valueInEffect(of: .notifyPrivate, as: BooleanSetting.self)
    {
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
  fileprivate var hasTerminal: Bool { isInputTerminal || isOutputTerminal || isErrorTerminal }
}

extension Argument {
  package static func desktop(
    _ field: @autoclosure @escaping Field<Options, DesktopOutcome.When>
  ) -> Self {
    .option("gui", field(), "Show the result as a desktop notification")
  }
}
