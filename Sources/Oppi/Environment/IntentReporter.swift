// SPDX-License-Identifier: MIT

import OppiModel

/// Receives the messages of a running flow; its result is separate.
protocol IntentReporter: Sendable {
  /// Warns of a problem that does not stop the flow.
  func warn(_ message: String) async
  /// Reports what was done or skipped; suppressed by `--quiet`.
  func status(_ message: String) async
  /// Reports a step, for troubleshooting; shown only with `--verbose`.
  func detail(_ message: @autoclosure () -> String) async
  /// The error's code and one-line message.
  func reason(of error: any Error) -> FailureReason
}

extension IntentReporter {
  /// Warns of a problem with its cause: `MESSAGE: CAUSE`.
  func warn(_ message: String, because error: any Error) async {
    await warn("\(message): \(reason(of: error).message)")
  }

  /// Reports an error as a detail: `MESSAGE: CAUSE`.
  func detail(_ message: String, because error: any Error) async {
    await detail("\(message): \(reason(of: error).message)")
  }
}
