// SPDX-License-Identifier: MIT

package import EventLoop
package import OppiModel
import OppiTransport

/// Brings the user's word on a tool call to the server, by the way that the server has.
package struct PermissionDecider: Sendable {
  /// What is known of a decision.
  package enum Outcome: Sendable, Equatable {
    /// The server has confirmed it.
    case decided
    /// The request was decided, expired or gone already.
    case tooLate
    /// It was sent over the stream, where older servers confirm nothing: what the call does next
    /// shows it.
    case unconfirmed
  }

  private static let limit = Duration.seconds(5)

  private let api: IntentAPIClient

  package init(api: IntentAPIClient) {
    self.api = api
  }

  /// Decides on a tool call, for as long as the decision says.
  ///
  /// - Parameters:
  ///   - decision: The user's word.
  ///   - request: The tool call that waits.
  ///   - sending: Sends over the session's open stream, for servers without a route for decisions.
  /// - Returns: What is known of the decision.
  /// - Throws: Where the server could not be told.
  package func decide(
    _ decision: PermissionDecision,
    _ request: PermissionRequest,
    sending: (ClientMessage, String, EventLoop.Instant) async throws(IntentError) -> Void
  ) async throws(IntentError) -> Outcome {
    guard request.allows(decision) else { throw .requestNotWhole(id: request.id) }
    let deadline = api.loop.now + Self.limit
    // REST checks the words of an answer, and says at once whether it came in time.
    switch try await api.decide(decision, permissionID: request.id, until: deadline) {
    case .decided: return .decided
    case .tooLate: return .tooLate
    case .noRoute:
      try await sending(.decide(permissionID: request.id, decision), api.loop.newID(), deadline)
      return .unconfirmed
    }
  }
}
