// SPDX-License-Identifier: MIT

package import OppiModel
package import OppiSystem

/// Where it is written down that a prompt leaves, before it does, so that another process can learn
/// its fate where this one ends.
package protocol DeliveryJournal: Sendable {
  /// The prompt is about to leave, or to be sent again.
  ///
  /// - Parameters:
  ///   - departure: How it leaves.
  ///   - sessionID: The session that it leaves to.
  ///   - elapsed: For how long it has left already; zero where it has not.
  /// - Throws: Where it could not be written down; the prompt does not leave.
  func departs(
    _ departure: PromptDelivery.Departure,
    to sessionID: String,
    since elapsed: Duration
  ) async throws(FileError)
}
