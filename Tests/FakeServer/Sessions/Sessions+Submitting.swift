// SPDX-License-Identifier: MIT

import OppiModel

// MARK: - Prompts on servers that check before they acknowledge

extension Sessions {
  private static let busyText =
    "Prompt requires an idle session; use steer or follow_up while a turn is streaming"
  static let imagesText =
    "Raw base64 image transport is not supported; upload images as chat attachments first"

  /// Accepts a prompt, queues it if the agent is busy and the prompt says how, or refuses it.
  ///
  /// A refused prompt leaves nothing behind.
  func submit(
    _ request: StreamRequest,
    in session: LiveSession,
    _ agent: Agent
  ) throws(StreamError) {
    let text = try text(of: request, in: session)
    if try isKnown(request, agent) {
      _ = try accept(request, in: session, agent)
      return
    }
    if agent.isBusy {
      guard let behaviour = request.message["streamingBehavior"].string else {
        throw .refused(Self.busyText)
      }
      let kind: MessageQueue.Kind = behaviour == "steer" ? .steer : .followUp
      return try enqueue(request, as: kind, in: session, agent)
    }
    if let error = refusal(of: text) { throw .refused(error) }
    guard try accept(request, in: session, agent) else { return }
    session.count(text)
    acknowledge(request, .dispatched, in: session, agent)
    hand(item(text, of: request), to: agent, in: session) { reply(to: request, about: session) }
  }

  /// Why the agent refuses a prompt at once; `nil` if it does not.
  func refusal(of prompt: String) -> String? {
    let script = Script.matching(prompt, manner: configuration.manner)
    guard case .refuse(let error, isLate: false)? = script.steps.first else { return nil }
    return error
  }

  private func isKnown(_ request: StreamRequest, _ agent: Agent) throws(StreamError) -> Bool {
    guard let id = request.message["clientTurnId"].string else { return false }
    switch agent.turns.verdict(on: id, payload: payload(of: request)) {
    case .new: return false
    case .duplicate: return true
    case .conflict: throw .refused("clientTurnId conflict: \(id)")
    }
  }

  /// The text of a turn, followed by the list of its attachments.
  func submittedText(
    of request: StreamRequest,
    in session: LiveSession
  ) throws(StreamError) -> String {
    guard let text = request.message["message"].string else {
      throw .invalid("Invalid payload: expected message")
    }
    if request.message["images"] != .null { throw .refused(Self.imagesText) }
    let files = try attach(
      request.message["attachments"],
      turn: request.message["clientTurnId"].string,
      in: session
    )
    return text + files
  }
}
