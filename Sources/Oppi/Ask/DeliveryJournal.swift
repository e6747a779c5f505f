// SPDX-License-Identifier: MIT

import OppiModel
import OppiSystem

/// Records that a prompt is about to be sent, so that another process can determine its state if
/// this process ends.
protocol DeliveryJournal: Sendable {
  /// Called before the prompt is sent or sent again.
  ///
  /// `elapsed` is the time since it was first sent; zero on the first attempt.
  ///
  /// - Throws: If the record could not be written; the prompt is not sent.
  func departs(
    _ departure: PromptDelivery.Departure,
    to sessionID: String,
    since elapsed: Duration
  ) async throws(FileError)

  /// Called just before the request is sent, or sent again, that creates the session with the
  /// prompt.
  ///
  /// - Throws: If the record could not be written; the request is not made.
  func launches() async throws(FileError)
}
