// SPDX-License-Identifier: MIT

import OppiModel
import OppiRendering

/// What a chat is about to do and what the user's keys mean at the moment; no input or output.
struct ChatState: Sendable {
  /// What a message is while the agent works.
  enum BusyMode: Sendable {
    case queue
    case steer
  }

  /// Something to be done.
  enum Effect: Sendable, Equatable {
    case send(String, ClientMessageKind)
    case stopTurn
    case decide(PermissionRequest, PermissionDecision)
    case answer(questionID: String, QuestionAnswer)
    case openEditor
    case suspend
    case redraw
    case leave
    case say(String)
    /// Lines for good, above the block.
    case print([StyledText])
  }

  /// How a message goes to the session.
  enum ClientMessageKind: Sendable, Equatable {
    case prompt
    case followUp
    case steer
  }

  private(set) var activity = TurnActivity()
  private(set) var busyMode = BusyMode.queue
  /// Requests that were answered here and are not confirmed yet.
  private(set) var answered: Set<String> = []
  /// Answers to the first parts of a question with several.
  private(set) var partialAnswers: [String: String] = [:]
  private var isBusy = false

  /// The request that is to be decided on now.
  var approval: PermissionRequest? {
    activity.pendingApprovals.first { !answered.contains($0.id) }
  }

  /// The question that is to be answered now; approvals go first.
  var question: ChatQuestion? {
    guard approval == nil else { return nil }
    return activity.questions.lazy.filter { !answered.contains($0.id) }
      .compactMap { ChatQuestion($0, answered: partialAnswers) }.first
  }

  /// Whether a request is still to be decided on.
  func isOpen(_ request: PermissionRequest) -> Bool {
    activity.pendingApprovals.contains { $0.id == request.id } && !answered.contains(request.id)
  }

  var isWorking: Bool {
    switch activity.status {
    case .running, .stopping: true
    default: isBusy
    }
  }

  mutating func update(_ activity: TurnActivity) {
    self.activity = activity
    if activity.isFinished { isBusy = false }
    let open = Set(activity.pendingApprovals.map(\.id) + activity.questions.map(\.id))
    answered.formIntersection(open)
  }

  /// A message did not reach the agent, so that nothing is known to be under way.
  mutating func notSent() {
    isBusy = false
  }

  /// The server did not take an answer, so that it is asked for again.
  mutating func reopen(_ id: String) {
    answered.remove(id)
  }

  /// Says what a finished piece of editing means.
  mutating func perform(_ action: ComposerAction) -> [Effect] {
    switch action {
    case .send(let text): return send(text)
    case .openEditor: return [.openEditor]
    case .interrupt: return isWorking ? [.stopTurn, .say("stopping…")] : [.say("Ctrl-D leaves")]
    case .endOfInput: return [.leave]
    case .suspend: return [.suspend]
    case .redraw: return [.redraw]
    case .key(.tab):
      busyMode = busyMode == .queue ? .steer : .queue
      return []
    case .key(.escape): return cancelQuestion()
    case .key: return []
    }
  }

  /// Decides on a request; that it was decided is the server's to say.
  mutating func decide(_ request: PermissionRequest, _ decision: PermissionDecision) -> [Effect] {
    guard answered.insert(request.id).inserted else { return [] }
    return [.decide(request, decision)]
  }

  /// Sends a message as one of a kind, whatever is asked at the moment.
  mutating func send(_ text: String, as kind: ClientMessageKind) -> [Effect] {
    isBusy = true
    return [.send(text, kind)]
  }

  private mutating func send(_ text: String) -> [Effect] {
    if let question, let answer = question.answer(forText: text) {
      return settle(question, answer)
    }
    return send(text, as: isWorking ? (busyMode == .queue ? .followUp : .steer) : .prompt)
  }

  private mutating func cancelQuestion() -> [Effect] {
    guard let question else { return [] }
    answered.insert(question.id)
    partialAnswers = [:]
    return [.answer(questionID: question.id, .cancelled)]
  }

  /// Keeps a part's answer, or sends them all once the last part has one.
  private mutating func settle(_ question: ChatQuestion, _ answer: QuestionAnswer) -> [Effect] {
    guard let part = question.partID, case .value(let text) = answer else {
      answered.insert(question.id)
      return [.answer(questionID: question.id, answer)]
    }
    partialAnswers[part] = text
    guard question.isLastPart else { return [] }
    defer { partialAnswers = [:] }
    answered.insert(question.id)
    return [.answer(questionID: question.id, .answers(partialAnswers))]
  }
}
