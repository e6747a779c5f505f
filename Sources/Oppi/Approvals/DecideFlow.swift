// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiSystem
import OppiTransport

/// Sends the user's decision on a tool call, and reports the result.
struct DecideRequest: Sendable {
  private static let limit = Duration.seconds(5)

  private let api: IntentAPIClient

  init(api: IntentAPIClient) {
    self.api = api
  }

  /// Decides on a pending request of a server.
  ///
  /// - Throws: If the request is still pending and the server is not processing the decision, or
  ///   the server cannot be reached.
  func decide(
    _ decision: PermissionDecision,
    _ request: PermissionRequest,
    on server: PairedServer
  ) async throws(IntentError) -> DecisionOutcome {
    let deadline = api.loop.now + Self.limit
    return try await sent(decision, request) { () async throws(IntentError) in
      do throws(IntentError) {
        return try await decideOverREST(decision, request, until: deadline) {
          () async throws(IntentError) in
          try await decideOverStream(decision, request, on: server, until: deadline)
        }
      } catch {
        guard error.mayHaveArrived else { throw error }
        // After a timeout or an interruption the server may still be processing the decision, even
        // if it lists the request.
        let isSettled = !error.isTimeout && !error.isCancellation
        if isSettled, await stillWaits(request) { throw error }
        return .unknown
      }
    }
  }

  /// Decides on a request that was shown earlier, if it is still pending and unchanged.
  ///
  /// - Throws: As ``decide(_:_:on:)``, and if the pending requests cannot be listed.
  func decide(
    _ decision: PermissionDecision,
    asShown request: PermissionRequest,
    on server: PairedServer
  ) async throws(IntentError) -> DecisionOutcome {
    if let change = try await change(of: request) { return change }
    return try await decide(decision, request, on: server)
  }

  /// Decides on a request that was shown in its session, whose stream is open, as
  /// ``decide(_:_:sending:)`` does, if it is still pending and unchanged.
  ///
  /// - Throws: As ``decide(_:_:sending:)``, and if the pending requests cannot be listed.
  func decide(
    _ decision: PermissionDecision,
    asShown request: PermissionRequest,
    sending: (ClientMessage, String, EventLoop.Instant) async throws(IntentError) -> Void
  ) async throws(IntentError) -> DecisionOutcome {
    if let change = try await change(of: request) { return change }
    return try await decide(decision, request, sending: sending)
  }

  /// Why no decision on a request that was shown earlier is sent: it is no longer pending, or
  /// another one is pending under its id; `nil` if it is as shown.
  private func change(
    of request: PermissionRequest
  ) async throws(IntentError) -> DecisionOutcome? {
    let pending = try await api.pendingPermissions(until: api.loop.now + Self.limit).requests
    let present = pending.filter { $0.id == request.id }
    guard let first = present.first else { return .tooLate }
    let isSame =
      present.count == 1 && first.proposesSame(as: request) && first.sessionID == request.sessionID
    return isSame ? nil : .changed
  }

  /// Decides on a tool call of a session whose stream is open.
  ///
  /// On servers without a route for decisions it uses `sending`, which writes to that stream, and
  /// returns `unconfirmed`.
  ///
  /// - Throws: If the server cannot be reached, or does not answer.
  func decide(
    _ decision: PermissionDecision,
    _ request: PermissionRequest,
    sending: (ClientMessage, String, EventLoop.Instant) async throws(IntentError) -> Void
  ) async throws(IntentError) -> DecisionOutcome {
    let deadline = api.loop.now + Self.limit
    return try await sent(decision, request) { () async throws(IntentError) in
      try await decideOverREST(decision, request, until: deadline) {
        () async throws(IntentError) in
        try await sending(.decide(permissionID: request.id, decision), api.loop.newID(), deadline)
        return .unconfirmed
      }
    }
  }

  /// Sends a whole request's decision, and records it; all decisions pass through here.
  private func sent(
    _ decision: PermissionDecision,
    _ request: PermissionRequest,
    _ send: () async throws(IntentError) -> DecisionOutcome
  ) async throws(IntentError) -> DecisionOutcome {
    let whole = HumanRequest.permission(request)
    guard ApprovalPolicy.obstacle(to: .decision(decision), whole, on: .command) == nil else {
      throw .requestNotWhole(id: request.id)
    }
    return try await api.recording(
      .decision(decision),
      to: .permission(request),
      of: request.sessionID,
      sending: send
    )
  }

  /// REST confirms a decision and reports at once whether it came in time.
  private func decideOverREST(
    _ decision: PermissionDecision,
    _ request: PermissionRequest,
    until deadline: EventLoop.Instant,
    else decideOtherwise: () async throws(IntentError) -> DecisionOutcome
  ) async throws(IntentError) -> DecisionOutcome {
    switch try await api.decide(decision, permissionID: request.id, until: deadline) {
    case .decided: return .decided
    case .tooLate: return .tooLate
    case .noRoute: return try await decideOtherwise()
    }
  }

  /// Whether the request is still pending; false also if the server cannot be queried.
  private func stillWaits(_ request: PermissionRequest) async -> Bool {
    let pending = try? await api.pendingPermissions(until: api.loop.now + Self.limit)
    return pending?.requests.contains { $0.id == request.id } ?? false
  }

  // MARK: - Servers without a route for decisions

  private func decideOverStream(
    _ decision: PermissionDecision,
    _ request: PermissionRequest,
    on server: PairedServer,
    until deadline: EventLoop.Instant
  ) async throws(IntentError) -> DecisionOutcome {
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
    } catch  where error.reason == .unknownSession {
      // The requests of a session are gone with it.
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

/// Replies to requests that a user names, or that were shown earlier.
struct DecideNamed: Sendable {
  struct Result: Sendable {
    /// `nil` if no request was found.
    var row: ListedRequest?
    /// As the user typed it.
    var name: String
    var outcome: Swift.Result<DecisionOutcome, any Error>
  }

  private let reply: RequestReply
  /// Whether an option or a setting replies, not the user.
  private let isAutomatic: Bool
  private let context: IntentContext

  init(_ reply: RequestReply, isAutomatic: Bool = false, in context: IntentContext) {
    (self.reply, self.isAutomatic, self.context) = (reply, isAutomatic, context)
  }

  init(_ decision: PermissionDecision, in context: IntentContext) {
    self.init(.decision(decision), in: context)
  }

  /// Replies to pending requests one after the other; continues after a failure.
  ///
  /// Two names of one request reply to it once. After the first reply the list is no longer new, so
  /// that a positive reply needs the request to be unchanged.
  func decide(on names: [String], in queue: ApprovalQueue) async -> [Result] {
    var results: [Result] = []
    var decided: Set<BoardRequest.ID> = []
    for name in names {
      do {
        let row = try queue.request(named: name)
        guard decided.insert(row.id).inserted else { continue }
        try Task.checkCancellation()
        let mayHaveChanged = decided.count > 1 && !reply.isRefusal
        let outcome = await bring(to: row.server, within: context.timeout) {
          mayHaveChanged
            ? try await $0.send(asShown: row.request, on: row.server)
            : try await $0.send(to: row.request, on: row.server)
        }
        results.append(Result(row: row, name: name, outcome: outcome))
      } catch {
        results.append(Result(row: nil, name: name, outcome: .failure(error)))
      }
    }
    return results
  }

  /// Replies to a request that was shown earlier, if it is still pending and unchanged.
  func decide(asShown row: ListedRequest) async -> Result {
    let outcome = await bring(to: row.server, within: context.timeout) {
      try await $0.send(asShown: row.request, on: row.server)
    }
    return Result(row: row, name: row.request.id, outcome: outcome)
  }

  /// Replies to a request that a notification showed, as ``decide(asShown:)`` does.
  func decide(
    asShown request: HumanRequest,
    of serverID: Fingerprint
  ) async -> Swift.Result<DecisionOutcome, any Error> {
    do {
      let paired = try context.serverStore.load().servers
      guard let server = paired.first(where: { $0.id == serverID }) else {
        throw OppiError.serverNotPaired
      }
      return await bring(to: server, within: nil) {
        try await $0.send(asShown: request, on: server)
      }
    } catch {
      return .failure(error)
    }
  }

  private func bring(
    to server: PairedServer,
    within limit: Duration?,
    _ body: (ReplyToRequest) async throws -> DecisionOutcome
  ) async -> Swift.Result<DecisionOutcome, any Error> {
    do {
      let api = try await context.connections.client(for: server).limited(to: limit)
      return .success(try await body(ReplyToRequest(reply, api: isAutomatic ? api.onItsOwn : api)))
    } catch {
      return .failure(error)
    }
  }
}
