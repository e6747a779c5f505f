// SPDX-License-Identifier: MIT

package import OppiModel

/// What a flow tells its user while it runs; what it comes to is its result.
package protocol IntentReporter: Sendable {
  /// Warns of trouble that does not stop the flow.
  func warn(_ message: String) async
  /// Says what was done or skipped; suppressed by `--quiet`.
  func status(_ message: String) async
  /// Says a step that helps to find a fault; shown under `--verbose` only.
  func detail(_ message: @autoclosure () -> String) async
  /// Returns the code and the one-line message under which the program reports an error.
  func reason(of error: any Error) -> FailureReason
}

extension IntentReporter {
  /// Warns of trouble that an error has caused: the message, a colon and the error's.
  package func warn(_ message: String, because error: any Error) async {
    await warn("\(message): \(reason(of: error).message)")
  }

  /// Says an error as a detail: the message, a colon and the error's.
  package func detail(_ message: String, because error: any Error) async {
    await detail("\(message): \(reason(of: error).message)")
  }
}
