// SPDX-License-Identifier: MIT

import EventLoop
package import OppiModel
import OppiTransport

/// Brings the user's word on a listed request to its server, and says what is known of it.
package struct DecideRequest: Sendable {
  /// What is known of a decision.
  package enum Outcome: Sendable, Equatable {
    /// The server has confirmed it.
    case decided
    /// The request was decided, expired or gone already.
    case tooLate
    /// Under the request's id another call waits by now; nothing was decided.
    case changed
    /// The word left, and what came of it is not known.
    case unknown
  }

  private static let limit = Duration.seconds(5)

  private let server: PairedServer
  private let api: IntentAPIClient

  package init(server: PairedServer, api: IntentAPIClient) {
    self.server = server
    self.api = api
  }

  /// Decides on a request.
  ///
  /// - Throws: Where the request still waits and nobody works on it, or the server could not be told.
  package func decide(
    _ decision: PermissionDecision,
    _ request: PermissionRequest
  ) async throws(IntentError) -> Outcome {
    guard request.allows(decision) else { throw .requestNotWhole(id: request.id) }
    let deadline = api.loop.now + Self.limit
    do throws(IntentError) {
      switch try await api.decide(decision, permissionID: request.id, until: deadline) {
      case .decided: return .decided
      case .tooLate: return .tooLate
      case .noRoute: return try await decideOverStream(decision, request, until: deadline)
      }
    } catch {
      guard error.mayHaveArrived, !error.isCancellation else { throw error }
      // A server that has not answered in time may still be at it, whatever it says meanwhile.
      if !error.isTimeout, await stillWaits(request) { throw error }
      return .unknown
    }
  }

  /// Decides on a request that was shown a while ago, where it still waits as it was shown.
  ///
  /// - Throws: As ``decide(_:_:)``, and where the server cannot be asked.
  package func decide(
    _ decision: PermissionDecision,
    asShown request: PermissionRequest
  ) async throws(IntentError) -> Outcome {
    let pending = try await api.pendingPermissions(until: api.loop.now + Self.limit).requests
    let present = pending.filter { $0.id == request.id }
    guard let first = present.first else { return .tooLate }
    guard present.count == 1, first.proposesSame(as: request),
      first.sessionID == request.sessionID
    else { return .changed }
    return try await decide(decision, request)
  }

  /// Where that cannot be asked, it is not known that it does.
  private func stillWaits(_ request: PermissionRequest) async -> Bool {
    let pending = try? await api.pendingPermissions(until: api.loop.now + Self.limit)
    return pending?.requests.contains { $0.id == request.id } ?? false
  }

  // MARK: - Servers without a route for decisions

  private func decideOverStream(
    _ decision: PermissionDecision,
    _ request: PermissionRequest,
    until deadline: EventLoop.Instant
  ) async throws(IntentError) -> Outcome {
    guard let sessionID = request.sessionID, WireID.isValid(sessionID) else {
      throw .malformedAnswer(server: server.name, what: "the session of request \(request.id)")
    }
    let session = ServerSession(
      server: server,
      id: sessionID,
      workspaceID: request.workspaceID.flatMap { WireID.isValid($0) ? $0 : nil }
    )
    let stream: IntentWebSocket
    do throws(IntentError) {
      stream = try await SessionStreamOpener(api: api).open(for: session, until: deadline)
    } catch .unknownSession {
      // Its requests are gone with it.
      return .tooLate
    }
    do throws(IntentError) {
      let word = StreamWord.decision(decision, on: request.id)
      let isHeard = try await word.isHeard(over: stream, of: sessionID, until: deadline)
      await stream.close()
      return isHeard ? .decided : .tooLate
    } catch {
      await stream.close()
      throw error
    }
  }
}
