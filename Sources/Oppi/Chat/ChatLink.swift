// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiTransport

/// Sends a chat's messages, stops and answers to its session.
struct ChatLink: Sendable {
  private static let limit = Duration.seconds(10)

  private let session: ServerSession
  private let api: IntentAPIClient
  /// Sent when a message needs a stream of the ended session.
  private let wakeSignal = WakeSignal()
  private var loop: EventLoop { api.loop }

  init(session: ServerSession, api: IntentAPIClient) {
    self.session = session
    self.api = api
  }

  /// A follower of the session that reconnects without a time limit.
  func follower() -> TurnFollower {
    let feed = SessionFeed(api: api, session: session, patience: nil, wokenBy: wakeSignal)
    let requests = session.server.dialect?.requests ?? .permissions
    return TurnFollower(feed: feed, sessionID: session.id, requests: requests)
  }

  // MARK: - Messages in delivery

  /// Performs an errand, and returns the result of a check; the feed reports a broken stream.
  func perform(
    _ errand: ChatMail.Effect,
    over stream: IntentWebSocket?
  ) async -> ChatMail.Look? {
    switch errand {
    case .send(let requests):
      try? await stream?.send(requests, to: session.id, until: loop.now + Self.limit)
    case .look(let sequence, let workspaceID, let id):
      let check = await look(since: sequence, in: workspaceID)
      return ChatMail.Look(check: check, clientTurnID: id)
    case .reopen:
      guard let stream else {
        wakeSignal.send()
        break
      }
      await stream.close()
    case .tell: break
    }
    return nil
  }

  /// Checks the session's state; `nil` if the server cannot be queried.
  private func look(
    since sequence: Int?,
    in workspaceID: String?
  ) async -> PromptDelivery.ServerCheck? {
    var session = session
    session.workspaceID = session.workspaceID ?? workspaceID
    return try? await api.within(Self.limit).check(of: session, since: sequence)
  }

  // MARK: - Stops and answers

  /// Stops the turn, and denies its pending request.
  func stop() async throws(OppiError) -> StopTurn.Outcome {
    try await StopTurn(api: api).stopTurn(of: session)
  }

  /// Replies to a request as it was shown.
  func send(
    _ reply: RequestReply,
    to request: HumanRequest,
    over stream: IntentWebSocket?
  ) async throws(OppiError) -> DecisionOutcome {
    let flow = ReplyToRequest(reply, on: session.server, api: api) {
      (message, id, _) async throws(OppiError) in
      try await change(message, id: id, over: stream)
    }
    return try await flow.send(to: request, of: session.id, asShown: true)
  }

  /// What is now pending in the session under the id of a request.
  func present(_ request: HumanRequest) async throws(OppiError) -> HumanRequest? {
    try await api.within(Self.limit).pending(as: request, in: session.id)?
      .first { $0.sessionID == session.id }
  }

  /// Sends a change of the session under `id`, which the server's result repeats.
  func change(
    _ message: ClientMessage,
    id: String,
    over stream: IntentWebSocket?
  ) async throws(OppiError) {
    guard let stream else { throw .hungUp(server: session.server.name) }
    try await stream.send(
      [.init(message, id: id)],
      to: session.id,
      until: loop.now + Self.limit
    )
  }

  /// How far the server's clock, which sets the deadlines, is ahead of this machine's.
  func clockOffset() async throws(OppiError) -> Duration? {
    try await api.within(Self.limit).pendingPermissions().clockOffset
  }

  func conversation() async throws(OppiError) -> ReadConversation.Conversation {
    let session = try await api.located(session)
    return try await ReadConversation(api: api).read(session)
  }

  /// Returns the full output of a call if the server has more of it than the conversation.
  func wholeOutput(of call: ToolCallActivity) async throws(OppiError) -> String? {
    let session = try await api.located(session)
    return try await ReadConversation(api: api).wholeOutput(of: call, in: session)
  }

  /// Deletes the session if the server still has no message in it; returns whether it did.
  func deleteUnused() async throws(OppiError) -> Bool {
    guard let workspaceID = session.workspaceID else { return false }
    let calls = api.within(Self.limit)
    let (current, trace) = try await calls.session(session.id, workspaceID: workspaceID)
    guard current.isEmpty, !current.status.isAtWork, trace.array?.isEmpty != false else {
      return false
    }
    try await calls.deleteSession(session.id, workspaceID: workspaceID)
    return true
  }
}
