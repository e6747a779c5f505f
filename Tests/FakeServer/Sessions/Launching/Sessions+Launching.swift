// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel

extension Sessions {
  /// Creates a session, or finds the one that was created with the same key.
  func launch(_ order: LaunchOrder) async throws(Refusal) -> Route.Answer {
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
    if let error = agent.isBusy ? "Agent is busy" : refusal(of: prompt) {
      session.launch?.complete(.failed, error: error, at: loop.timestamp)
      return
    }
    let prompt = prompt + ((try? attach(attachments, turn: nil, in: session)) ?? "")
    session.count(prompt)
    hand(MessageQueue.Item(message: prompt, on: loop), to: agent, in: session)
    // A server that ends now has not recorded that the agent has the prompt.
    if case .hang? = configuration.interceptor?(.handedOver(sessionID: session.id)) {
      try? await loop.sleep(for: .seconds(3600))
    }
    session.launch?.complete(.accepted, at: loop.timestamp)
  }
}

extension Refusal {
  /// The model of a session cannot be used.
  static func unavailable(model: String, sessionID: String) -> Refusal {
    let models = Model.all.map(\.id).joined(separator: ", ")
    return Refusal(
      409,
      "Model \"\(model)\" is not available. Available models: \(models)",
      ["sessionId": .string(sessionID)]
    )
  }
}
