// SPDX-License-Identifier: MIT

package import OppiModel
import OppiWire

/// What a ``PromptDelivery`` does to the server of its session, and what a failure means for it.
extension ServerCalls {
  /// Sends requests over a stream of the session, or queries the session; all other actions belong
  /// to the owner of the stream.
  ///
  /// - Returns: The event of the action, if the stream does not report it.
  /// - Throws: The failure of the stream, or that the server does not know the session, which a
  ///   second query would not find either.
  package func perform(
    _ action: PromptDelivery.Action,
    in session: ServerSession,
    over stream: IntentWebSocket?
  ) async throws(OppiError) -> PromptDelivery.Event? {
    switch action {
    case .send(let requests):
      try await stream?.send(requests, to: session.id, until: deadline)
      return nil
    case .look(let sequence):
      do {
        return .looked(try await check(of: session, since: sequence))
      } catch  where error.reason != .unknownSession {
        return .looked(nil)
      }
    case .open, .close, .delete, .settle: return nil
    }
  }

  /// The data for a second check of a prompt's delivery.
  private func check(
    of session: ServerSession,
    since sequence: Int?
  ) async throws(OppiError) -> PromptDelivery.ServerCheck {
    guard let workspaceID = session.workspaceID else { throw .unknownSession(name: session.id) }
    let (current, trace) = try await self.session(session.id, workspaceID: workspaceID)
    var loaded: Events?
    if let sequence {
      loaded = try await events(of: session.id, workspaceID: workspaceID, since: sequence)
    }
    // Where agents have names, the uptime says nothing more.
    let namesAgents = session.server.dialect?.stream.namesAgents == true
    var check = PromptDelivery.ServerCheck(
      // An older server lists its last stored status; its loaded agent has the current one.
      loaded?.session?.status ?? current.status,
      uptime: namesAgents ? nil : try await info()?.uptime
    )
    (check.userTexts, check.events, check.epoch) = (trace.userTexts, loaded?.events, loaded?.epoch)
    if check.status == .ready, check.events?.isEmpty == true {
      check.reportsRefusals = try await reportsRefusals(session)
    }
    return check
  }

  /// Whether the server has an event for a prompt that its agent refuses: true of all servers with
  /// search.
  private func reportsRefusals(_ session: ServerSession) async throws(OppiError) -> Bool {
    let stream = session.server.dialect?.stream
    guard stream != .perSession else { return false }
    if stream?.recognizesRepeats == true { return true }
    return try await search(session.id, workspaceID: session.workspaceID, limit: 1) != nil
  }
}

extension PromptDelivery.Event {
  /// What the failure of a stream or of a query means for the delivery.
  package init(failure error: OppiError) {
    self = !error.isPassing ? .shutOut : error.isPlanned ? .expired : .lost
  }
}
