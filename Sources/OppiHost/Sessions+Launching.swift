// SPDX-License-Identifier: MIT

package import OppiModel

extension Sessions {
  /// Creates a session, or finds the one that was created with the same key.
  package func launch(_ order: LaunchOrder) async throws(Refusal) -> Route.Answer {
    if let key = order.key, let session = all.values.first(where: { $0.launch?.key == key }) {
      return try await launchAgain(order, session)
    }
    let session = makeSession(in: order.workspace, name: order.name, model: order.model)
    session.thinkingLevel = order.thinkingLevel
    session.launch = Launch(
      key: order.key,
      model: order.model,
      thinkingLevel: order.thinkingLevel,
      requestedAt: loop.timestamp
    )
    if order.key != nil { session.status = .ready }
    announceCreation(of: session)
    guard let prompt = order.prompt else { return (["session": json(session)], 201) }
    try await deliver(prompt, order.attachments, to: session)
    return (answer(session, isPrompted: true), 201)
  }

  private func launchAgain(
    _ order: LaunchOrder,
    _ session: LiveSession
  ) async throws(Refusal) -> Route.Answer {
    guard let launch = session.launch else { return (json(session), 200) }
    let isOpen = launch.isOpen(at: loop.timestamp)
    if launch.status == .launching, !isOpen {
      throw Refusal(409, "launch_in_progress", ["retryable": true])
    }
    if launch.lacksModel {
      throw .unavailable(model: session.model, sessionID: session.id)
    }
    let isSame = session.workspace.id == order.workspace.id
    if let prompt = order.prompt, isSame, isOpen {
      try await deliver(prompt, order.attachments, to: session)
    }
    let answer = answer(session, isPrompted: order.prompt != nil)
    return (answer.adding(["launch": ["existing": true]]), 200)
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
    _ attachments: JSONValue,
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
    guard let agent = session.agent, all[session.id] === session else {
      session.launch?.complete(.failed, error: "Session ended", at: loop.timestamp)
      return
    }
    if let error = agent.isBusy ? "Agent is busy" : promptError(prompt) {
      session.launch?.complete(.failed, error: error, at: loop.timestamp)
      return
    }
    let prompt = prompt + ((try? attach(attachments, turn: nil, in: session)) ?? "")
    session.count(prompt)
    hand(MessageQueue.Item(message: prompt, on: loop), to: agent, in: session)
    // A server that ends now has not recorded that the agent has the prompt.
    await variant.didHandOver(to: session, in: self)
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
  var key: String?
  var model: String?
  var thinkingLevel: String?
  var requestedAt: Timestamp
  var completedAt: Timestamp?
  var status = Status.accepted
  /// Whether the agent is recorded to have the prompt; `nil` while it is being launched.
  var isDelivered: Bool? = false
  var promptError: String?
  /// Whether the model is not available, which no repeat can change.
  var lacksModel = false
  /// The time of a launch; after it, a repeat launches again, whether or not the first has ended.
  var lease: Range<Timestamp>?

  /// Whether a repeat launches again.
  func isOpen(at now: Timestamp) -> Bool {
    switch status {
    case .accepted: false
    case .failed: true
    case .launching: lease.map { $0.upperBound <= now } ?? true
    }
  }

  var json: JSONValue {
    .object([
      "source": "client",
      "idempotencyKey": key.map(JSONValue.string),
      "model": model.map(JSONValue.string),
      "thinkingLevel": thinkingLevel.map(JSONValue.string),
      "status": .string(status.rawValue),
      "promptDispatch": isDelivered.map { $0 ? "delivered" : "not_sent" },
      "promptError": promptError.map(JSONValue.string),
      "requestedAt": requestedAt.json,
      "completedAt": completedAt.map(\.json),
      "lease": lease.map { lease in
        [
          "owner": "workspace-session-create", "acquiredAt": lease.lowerBound.json,
          "expiresAt": lease.upperBound.json,
        ]
      },
    ])
  }

  mutating func complete(_ status: Status, error: String? = nil, at now: Timestamp) {
    self.status = status
    isDelivered = status == .accepted
    promptError = error
    completedAt = now
    lease = nil
  }

  mutating func begin(at now: Timestamp, for time: Duration) {
    status = .launching
    isDelivered = nil
    lease = now..<now.moved(by: time)
  }
}

/// A request to create a session.
package struct LaunchOrder: Sendable {
  var workspace: Workspace
  var name: String?
  var model: String?
  var thinkingLevel: String?
  /// Without surrounding blanks; `nil` if there is none.
  var prompt: String?
  var key: String?
  /// Files of the workspace.
  var attachments: JSONValue

  package init(_ body: JSONValue, in workspace: Workspace) throws(Refusal) {
    guard body["images"] == .null else { throw Refusal(400, Sessions.imagesText) }
    if body["thinking"] != .null {
      guard let level = body["thinking"].string, ThinkingLevel.isKnown(level) else {
        throw Refusal(400, "Invalid thinking level")
      }
      thinkingLevel = level
    }
    attachments = body["attachments"]
    // An upload belongs to a session that exists already.
    guard attachments.array?.allSatisfy({ $0["source"] == "workspace" }) ?? true else {
      throw Refusal(400, "Upload not found")
    }
    self.workspace = workspace
    name = body["name"].string
    model = body["model"].string
    prompt = body["prompt"].string.flatMap(Self.filled)
    key =
      body["launchIdempotencyKey"].string.flatMap(Self.filled)
      ?? body["idempotencyKey"].string.flatMap(Self.filled)
  }

  private static func filled(_ text: String) -> String? {
    let text = text.trimmingBlanks
    return text.isEmpty ? nil : text
  }
}
