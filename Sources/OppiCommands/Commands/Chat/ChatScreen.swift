// SPDX-License-Identifier: MIT

import OppiIntents
import OppiModel
import OppiRendering

/// The chat on a screen: what is shown, and what a key or the session's news changes; no input or
/// output.
struct ChatScreen: Sendable {
  /// The columns and rows of the terminal.
  typealias Size = (columns: Int, rows: Int)

  private(set) var state = ChatState()
  private(set) var composer = Composer()
  /// The request that takes the composer's place; the message that is being written waits.
  private(set) var panel: ApprovalPanel?
  /// What is written to the agent about a denial.
  private(set) var reason: Composer?
  /// The person has gone back to the message, and the request is still to be decided on.
  private(set) var isPanelAside = false
  private(set) var note: String?
  private(set) var size: Size

  init(size: Size) {
    self.size = size
  }

  // MARK: - Keys

  /// Takes a key that was pressed at a moment since some beginning.
  mutating func press(_ key: Key, at now: Duration) -> [ChatState.Effect] {
    if key == .escape { return escape(at: now) }
    if reason != nil { return writeReason(key) }
    if !isPanelAside, panel != nil, !key.isForTheProgram { return decide(by: key, at: now) }
    return composer.apply(key).map { perform($0) } ?? []
  }

  /// Puts a text that was written elsewhere in the place of the message.
  mutating func replaceMessage(_ text: String) {
    composer.replace(text)
  }

  mutating func say(_ text: String) {
    note = text
  }

  private mutating func perform(_ action: ComposerAction) -> [ChatState.Effect] {
    state.perform(action)
  }

  private mutating func escape(at now: Duration) -> [ChatState.Effect] {
    if reason != nil {
      reason = nil
      return []
    }
    guard let panel else { return state.perform(.key(.escape)) }
    isPanelAside.toggle()
    if !isPanelAside { self.panel = ApprovalPanel(panel.request, at: now) }
    return []
  }

  private mutating func decide(by key: Key, at now: Duration) -> [ChatState.Effect] {
    switch panel?.take(key, at: now) {
    case .taken?: note = nil
    case .unconfirmed(let why)?: note = why
    case .typed(let before)?:
      if !before.isEmpty { _ = composer.apply(.text(before)) }
      // A message is sent once the person has gone back to it.
      guard key != .enter else {
        note = "Esc goes back to your message"
        return []
      }
      return composer.apply(key).map { perform($0) } ?? []
    case .confirmed(.denyWithReason)?:
      reason = Composer()
      note = nil
    case .confirmed(let choice)?:
      return settle(choice == .deny ? .deny : choice == .allowOnce ? .allow : .allowForSession)
    case nil: break
    }
    return []
  }

  private mutating func writeReason(_ key: Key) -> [ChatState.Effect] {
    switch reason?.apply(key) {
    case .send(let text)?:
      reason = nil
      return settle(.deny) + state.send(text, as: .steer)
    case .openEditor?, nil: return []
    case let action?: return perform(action)
    }
  }

  private mutating func settle(_ decision: PermissionDecision) -> [ChatState.Effect] {
    guard let request = panel?.request else { return [] }
    panel = nil
    note = "sent; waiting for the server's word"
    return state.decide(request, decision)
  }

  // MARK: - What happens

  /// Fits the screen to what is known now: a request for approval takes the composer's place, and
  /// goes when it is settled.
  mutating func fit(_ size: Size, at moment: Duration) {
    self.size = size
    let request = state.approval
    if request?.id != panel?.request.id {
      panel = request.map { ApprovalPanel($0, at: moment) }
      (isPanelAside, reason) = (false, nil)
    }
    guard !isPanelAside, reason == nil else { return }
    panel?.fit(columns: size.columns, rows: size.rows - Self.rowsBesidePanel)
  }

  /// The row that no block takes, the note, and the row about the message.
  private static let rowsBesidePanel = 3

  /// Takes news of the session.
  mutating func take(_ step: TurnFollower.Step, _ activity: TurnActivity) -> [ChatState.Effect] {
    switch step {
    case .changes(let changes, _), .past(let changes):
      let wasAsked = state.question?.id
      state.update(activity)
      if let question = state.question, question.id != wasAsked, composer.text.isEmpty {
        question.prefill.map { composer.replace($0) }
      }
      return changes.flatMap { tell($0) }
    case .lost(let error, _), .givenUp(let error):
      note = "connection lost: \(OppiError(error).message)"
    case .standing(let standing): if !standing.isFirst { note = "connected again" }
    case .timeCame: break
    }
    return []
  }

  /// Takes what came of a stop, a decision or an answer.
  mutating func take(_ result: ChatResult) {
    switch result {
    case .done(let text): note = text ?? note
    case .failed(let text, let id):
      note = "failed: \(text)"
      if let id { state.reopen(id) }
    }
  }

  /// Takes the fate of a message: one that did not reach the agent goes back to where it was written.
  mutating func take(_ settled: ChatMail.Settled) -> [ChatState.Effect] {
    guard let text = settled.notice else {
      if case .delivered(.queued) = settled.verdict { note = "queued" }
      return []
    }
    state.notSent()
    if case .unknown = settled.verdict {
    } else if composer.text.isEmpty {
      composer.replace(settled.text)
    }
    return [.print([StyledText(text, .error)])]
  }

  /// Puts what is finished above the block, for good.
  private mutating func tell(_ change: ActivityChange) -> [ChatState.Effect] {
    switch change {
    case .textFinished(let text) where !text.isEmpty:
      let lines = text.safeBlock().split(separator: "\n", omittingEmptySubsequences: false)
      return [.print(lines.map { StyledText(String($0)) })]
    case .toolFinished(let call):
      let mark = StatusMark(call.state)
      var line = StyledText("\(mark.symbol) \(mark.word): ", mark.style)
      line.append(ToolRenderers.title(of: call))
      let rows = ToolRenderers.rows(for: call, width: size.columns)
      return [.print([line.truncated(to: size.columns)] + rows)]
    case .notice(let text):
      note = text.safeLine()
      return []
    case .queueDropped(let messages):
      let lines = messages.map { "dropped by the stop: \($0.text.safeLine())" }
      return [.print(lines.map { StyledText($0, .warning) })]
    case .turnFinished(let outcome, _):
      note = nil
      guard let (code, sentence) = outcome.failure else { return [] }
      return [.print([StyledText(sentence, code == .turnFailed ? .error : .warning)])]
    case .sessionEnded:
      return [.print([StyledText("the session has ended; a message starts it anew", .dim)])]
    default: return []
    }
  }
}

extension Key {
  /// Whether it is about the program, and not about what is shown: Ctrl with a letter.
  fileprivate var isForTheProgram: Bool {
    if case .control(let letter) = self { "cdlz".contains(letter) } else { false }
  }
}
