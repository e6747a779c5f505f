// SPDX-License-Identifier: MIT

package import OppiModel

/// How far a shortcut's prompt came.
package struct RunResult: Sendable, Equatable {
  /// A state of `ask --json`, or of ``ScheduleRun/State``.
  package let state: String
  /// The session that got the prompt.
  package let sessionID: String?
  package let workspace: WorkspaceReference?

  package init(state: String, sessionID: String? = nil, workspace: WorkspaceReference? = nil) {
    (self.state, self.sessionID, self.workspace) = (state, sessionID, workspace)
  }
}

/// What the record of a schedule says of a failed run.
package struct RunFailure: Sendable, Equatable {
  /// The state of a run without a result of its own: `failed`, `interrupted` or `unknown`.
  package let state: String
  /// The exit status.
  package let status: Int
  /// One line.
  package let message: String
  /// The session that may have got the prompt.
  package let sessionID: String?

  package init(state: String, status: Int, message: String, sessionID: String?) {
    (self.state, self.status, self.message, self.sessionID) = (state, status, message, sessionID)
  }
}

/// A shortcut that a schedule runs, and how the program reports its runs.
package protocol ScheduledShortcut: Sendable {
  var name: ShortcutName { get }
  /// Whether a run lasts until its turn is over, so that its lock shows that it is active.
  var isWaiting: Bool { get }
  /// Whether a prompt that cannot be delivered is kept in the outbox.
  var isQueueing: Bool { get }

  /// Runs the shortcut and prints its report.
  ///
  /// - Parameter key: The key of the prompt if it goes to the outbox.
  /// - Returns: How far the prompt came, and why the run failed; both may be `nil`.
  /// - Throws: Why the run failed before it had a result.
  func run(under key: OutboxKey?) async throws -> (result: RunResult?, failure: (any Error)?)

  /// Returns what the record says of a failure.
  func record(of failure: any Error) -> RunFailure

  /// Shows a failure on the desktop, unless a person interrupted the run.
  func notify(of failure: any Error) async
}
