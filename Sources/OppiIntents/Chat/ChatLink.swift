// SPDX-License-Identifier: MIT

import EventLoop
package import OppiModel
import OppiTransport

/// Carries a chat's messages, stops and answers to its session.
package struct ChatLink: Sendable {
  private static let limit = Duration.seconds(10)

  private let session: ServerSession
  private let api: IntentAPIClient
  private var loop: EventLoop { api.loop }

  package init(session: ServerSession, api: IntentAPIClient) {
    self.session = session
    self.api = api
  }

  /// Makes a follower of the session, which never gives up.
  package func follower() -> TurnFollower {
    let feed = SessionFeed(api: api, session: session, patience: nil)
    return TurnFollower(feed: feed, sessionID: session.id)
  }

  // MARK: - Messages on their way

  /// Does what a message on its way needs, and returns what was looked for; a stream that breaks is
  /// the feed's to tell.
  package func perform(
    _ errand: ChatMail.Errand,
    over stream: IntentWebSocket?
  ) async -> ChatMail.Look? {
    switch errand {
    case .send(let requests):
      try? await stream?.send(requests, to: session.id, until: loop.now + Self.limit)
    case .look(let sequence, let workspaceID, let id):
      let sighting = await look(since: sequence, in: workspaceID)
      return ChatMail.Look(sighting: sighting, clientTurnID: id)
    case .reopen: await stream?.close()
    case .tell: break
    }
    return nil
  }

  /// Asks how the session stands; `nil` where the server cannot be asked.
  private func look(
    since sequence: Int?,
    in workspaceID: String?
  ) async -> PromptDelivery.Sighting? {
    var session = session
    session.workspaceID = session.workspaceID ?? workspaceID
    return try? await api.sighting(of: session, since: sequence, until: loop.now + Self.limit)
  }

  // MARK: - Stops and answers

  /// Stops the turn, and denies a request that waits for approval.
  package func stop() async throws(IntentError) -> StopTurn.Outcome {
    try await StopTurn(api: api).stopTurn(of: session)
  }

  /// Decides on a tool call.
  package func decide(
    _ decision: PermissionDecision,
    _ request: PermissionRequest,
    over stream: IntentWebSocket?
  ) async throws(IntentError) -> DecisionOutcome {
    try await DecideRequest(api: api).decide(decision, request) {
      (message, _, _) async throws(IntentError) in try await send(message, over: stream)
    }
  }

  /// Sends a change of the session under an id, which the server's answer repeats.
  package func change(
    _ message: ClientMessage,
    id: String,
    over stream: IntentWebSocket?
  ) async throws(IntentError) {
    guard let stream else { throw .hungUp(server: session.server.name) }
    try await stream.send(
      [.init(message, id: id)],
      to: session.id,
      until: loop.now + Self.limit
    )
  }

  /// How far the server's clock is ahead of this machine's, which deadlines are written by.
  package func clockOffset() async throws(IntentError) -> Duration? {
    try await api.pendingPermissions(until: loop.now + Self.limit).clockOffset
  }

  /// Reads the conversation so far.
  package func conversation() async throws(IntentError) -> ReadConversation.Conversation {
    let session = try await SessionGlance.located(session, api: api)
    return try await ReadConversation(api: api).read(session)
  }

  /// Returns all that a call has printed, where the server has more of it than the conversation.
  package func wholeOutput(of call: PastCall) async throws(IntentError) -> String? {
    let session = try await SessionGlance.located(session, api: api)
    return try await ReadConversation(api: api).wholeOutput(of: call, in: session)
  }

  /// Removes the session, where the server still says that nothing was ever said in it.
  ///
  /// - Returns: Whether it is gone.
  package func deleteUnused() async throws(IntentError) -> Bool {
    guard let workspaceID = session.workspaceID else { return false }
    let deadline = loop.now + Self.limit
    let (current, trace) = try await api.session(
      session.id,
      workspaceID: workspaceID,
      until: deadline
    )
    guard current.messageCount == 0, !current.status.isAtWork, trace.array?.isEmpty != false else {
      return false
    }
    try await api.deleteSession(session.id, workspaceID: workspaceID, until: deadline)
    return true
  }

  /// Answers a question.
  package func answer(
    _ questionID: String,
    with answer: QuestionAnswer,
    over stream: IntentWebSocket?
  ) async throws(IntentError) {
    try await send(.answer(questionID: questionID, answer), over: stream)
  }

  private func send(
    _ message: ClientMessage,
    over stream: IntentWebSocket?
  ) async throws(IntentError) {
    try await change(message, id: loop.newID(), over: stream)
  }
}
