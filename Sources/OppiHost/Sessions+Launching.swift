// SPDX-License-Identifier: MIT

package import OppiText
package import OppiWire

extension Sessions {
  /// Creates a session, or finds the one that was created with the same key.
  package func launch(
    _ order: LaunchOrder
  ) async throws(Refusal) -> (json: JSONValue, status: Int) {
    if let key = order.key, let session = all.values.first(where: { $0.launch?.key == key }),
      let launch = session.launch
    {
      return (try await launchAgain(order, session, launch), 200)
    }
    let session = makeSession(in: order.workspace, name: order.name, model: order.model)
    session.thinkingLevel = order.thinkingLevel
    session.launch = Launch(key: order.key, requestedAt: loop.timestamp)
    if order.key != nil { session.status = .ready }
    announceCreation(of: session)
    guard let prompt = order.prompt else { return (["session": json(session)], 201) }
    try await deliver(prompt, to: session)
    return (answer(session, isPrompted: true), 201)
  }

  private func launchAgain(
    _ order: LaunchOrder,
    _ session: LiveSession,
    _ launch: Launch
  ) async throws(Refusal) -> JSONValue {
    let isOpen = launch.isOpen(at: loop.timestamp)
    if launch.status == .launching, !isOpen {
      throw Refusal(409, "launch_in_progress", ["retryable": true])
    }
    if launch.lacksModel {
      throw .unavailable(model: session.model, sessionID: session.id)
    }
    let isSame = session.workspace.id == order.workspace.id
    if let prompt = order.prompt, isSame, isOpen {
      try await deliver(prompt, to: session)
    }
    return answer(session, isPrompted: order.prompt != nil).adding(["launch": ["existing": true]])
  }

  private func answer(_ session: LiveSession, isPrompted: Bool) -> JSONValue {
    .object([
      "session": json(session),
      "prompted": isPrompted ? .bool(session.launch?.isDelivered == true) : nil,
    ])
  }

  /// Starts the agent and gives it the first prompt; the launch has the result.
  ///
  /// - Throws: If the model is not available.
  private func deliver(
    _ prompt: String,
    to session: LiveSession
  ) async throws(Refusal) {
    session.launch?.begin(at: loop.timestamp, for: configuration.limits.launchLease)
    do {
      try await start(session)
    } catch {
      session.launch?.complete(.failed, error: error.text, at: loop.timestamp)
      session.launch?.lacksModel = error.status == 409
      if error.status == 409 { throw error }
      return
    }
    // The session may have been ended or deleted meanwhile.
    let agent = all[session.id] === session ? session.agent : nil
    let error = agent.map { $0.isBusy ? "Agent is busy" : promptError(prompt) } ?? "Session ended"
    guard let agent, error == nil else {
      session.launch?.complete(.failed, error: error, at: loop.timestamp)
      return
    }
    session.record.count(prompt, on: loop)
    hand(MessageQueue.Item(message: prompt, on: loop), to: agent)
    // A server that ends now has not recorded that the agent has the prompt.
    await variant.didHandOver?(session.id)
    session.launch?.complete(.accepted, at: loop.timestamp)
  }
}

/// How a session was created, and the state of the prompt that came with it.
struct Launch: Sendable {
  enum Status: String {
    case launching
    case accepted
    case failed
  }

  /// The client's key; a repeat with the same key leads to this session.
  let key: String?
  let requestedAt: Timestamp
  var completedAt: Timestamp?
  var status = Status.accepted
  /// Whether the agent is recorded to have the prompt; `nil` while it is being launched.
  var isDelivered: Bool? = false
  var promptError: String?
  /// Whether the model is not available, which no repeat can change.
  var lacksModel = false
  /// After it, a repeat launches again, whether or not the first has ended.
  var leaseEnd: Timestamp?

  /// Whether a repeat launches again.
  func isOpen(at now: Timestamp) -> Bool {
    switch status {
    case .accepted: false
    case .failed: true
    case .launching: leaseEnd.map { $0 <= now } ?? true
    }
  }

  var json: JSONValue {
    .object([
      "source": "client",
      "idempotencyKey": key.map(JSONValue.string),
      "status": .string(status.rawValue),
      "promptDispatch": isDelivered.map { $0 ? "delivered" : "not_sent" },
      "promptError": promptError.map(JSONValue.string),
      "requestedAt": requestedAt.json,
      "completedAt": completedAt.map(\.json),
      "lease": leaseEnd.map { ["expiresAt": $0.json] },
    ])
  }

  mutating func complete(_ status: Status, error: String? = nil, at now: Timestamp) {
    self.status = status
    isDelivered = status == .accepted
    promptError = error
    completedAt = now
    leaseEnd = nil
  }

  mutating func begin(at now: Timestamp, for time: Duration) {
    status = .launching
    isDelivered = nil
    leaseEnd = now.moved(by: time)
  }
}

/// A request to create a session.
package struct LaunchOrder: Sendable {
  let workspace: Workspace
  let name: String?
  let model: String?
  let thinkingLevel: String?
  /// Without surrounding blanks; `nil` if there is none.
  let prompt: String?
  let key: String?

  package init(_ body: JSONValue, in workspace: Workspace) throws(Refusal) {
    guard body["images"] == .null else { throw Refusal(400, Sessions.imagesText) }
    thinkingLevel = body["thinking"].string
    guard body["thinking"] == .null || thinkingLevel.flatMap(ThinkingLevel.init(rawValue:)) != nil
    else {
      throw Refusal(400, "Invalid thinking level")
    }
    // An upload belongs to a session that exists already.
    guard body["attachments"].array?.isEmpty ?? true else {
      throw Refusal(400, "Upload not found")
    }
    self.workspace = workspace
    name = body["name"].string
    model = body["model"].string
    prompt = body["prompt"].string.flatMap(Self.filled)
    key = body["idempotencyKey"].string.flatMap(Self.filled)
  }

  private static func filled(_ text: String) -> String? {
    let text = text.trimmingBlanks
    return text.isEmpty ? nil : text
  }
}
