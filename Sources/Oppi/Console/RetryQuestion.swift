// SPDX-License-Identifier: MIT

import OppiModel
import OppiTerminal
import OppiText
import OppiTurns
import OppiWire

/// The prompt of a failed turn, which can be sent as a new attempt.
struct FailedPrompt: Sendable {
  let session: ListedSession
  let text: String
  /// The images of the prompt, which are not sent again.
  let imageCount: Int

  /// `nil` if the prompt is not known.
  init?(of session: ListedSession, in turns: [Turn]) {
    guard let turn = turns.last, let text = turn.prompt, !text.allSatisfy(\.isWhitespace) else {
      return nil
    }
    (self.session, self.text, imageCount) = (session, text, turn.imageCount)
  }

  /// What is missing in a new attempt; `nil` if it is the whole prompt.
  fileprivate var lack: String? {
    imageCount > 0 ? "without its \(imageCount.counted("image"))" : nil
  }
}

extension ConsoleChange {
  /// Sends the whole prompts; `leftOut` tells what of the chosen rows is not sent, and why.
  static func retry(_ prompts: [FailedPrompt], leftOut: [String] = []) -> ConsoleChange {
    let isOne = prompts.count == 1
    let lines = prompts.map { prompt in
      let words = isOne ? nil : prompt.text.safeLine(limit: 60)
      return [words, prompt.session.place, prompt.lack].compactMap(\.self).joined(separator: ", ")
    }
    let text = isOne ? prompts.map { $0.text.safeBlock(limit: textLimit) }.joined() : ""
    let whole = text.split(separator: "\n").map(String.init)
    return ConsoleChange(
      question: isOne
        ? "Send the prompt of this failed turn again?"
        : "Send the prompts of \(prompts.count) failed turns again?",
      details: lines + leftOut.map { "left out: \($0)" } + whole,
      verb: "send",
      effects: prompts.map { .send($0.text, to: $0.session.id) },
      cancelled: "not sent",
      confirmed: waiting
    )
  }

  /// The most characters of a prompt that a question shows.
  private static var textLimit: Int { 4_000 }
}

/// The question whether to send the prompts of several failed turns again, after they were read.
///
/// A session that changes meanwhile is left out, and the question then counts as a new one: its turn
/// may run again already.
struct RetryQuestion: ListPage {
  private static let cancelled = "not sent"

  /// Those whose turn has failed, in the order of the list.
  private let failed: [ListedSession]
  /// The sessions whose prompt is still being read.
  private var unread: Set<ListedSession.ID>
  private var prompts: [ListedSession.ID: FailedPrompt] = [:]
  private var leftOut: [String]
  /// `nil` until all prompts were read, and if there is none to send.
  private(set) var question: ConsoleQuestion?

  /// `others` are what else is marked.
  init(_ sessions: [ListedSession], besides others: [String]) {
    failed = sessions.filter { $0.phase == .failed }
    unread = Set(failed.map(\.id))
    leftOut =
      sessions.filter { $0.phase != .failed }.map { "\($0.words), \($0.phase.word)" } + others
  }

  var opening: [ConsoleEffect] { failed.map { .work(.read($0.id, turns: 1)) } }

  var hints: [KeyHint] { question?.hints ?? [KeyHint("Esc", "cancel")] }

  mutating func wasShown(at now: Duration) { question?.wasShown(at: now) }

  mutating func fit(_ size: ScreenSize, _ model: ConsoleModel) { question?.fit(size, model) }

  mutating func isShownAgain() { question?.isShownAgain() }

  mutating func take(_ key: Key, in model: inout ConsoleModel) -> PageOutcome {
    if let outcome = question?.take(key, in: &model) { return outcome }
    guard key == .escape || key == .control("c") else { return .stays() }
    model.note = Self.cancelled
    return .closes()
  }

  mutating func take(_ news: ConsoleNews, in model: ConsoleModel) -> [ConsoleEffect] {
    if case .conversation(let id, turns: 1, let result)? = news.own(WorkNews.self) {
      take(result, of: id)
    } else if case .looked(_, .success) = news {
      for session in failed where model.board.hasChanged(session) {
        leave(session, because: "it has changed")
      }
    }
    return []
  }

  private mutating func take(_ result: Result<[Turn], FleetView.Failure>, of id: ListedSession.ID) {
    guard unread.contains(id), let session = failed.first(where: { $0.id == id }) else { return }
    switch result {
    case .failure(let failure): leave(session, because: failure.message)
    case .success(let turns):
      guard let prompt = FailedPrompt(of: session, in: turns) else {
        return leave(session, because: "the prompt is not known")
      }
      unread.remove(id)
      prompts[id] = prompt
      ask()
    }
  }

  private mutating func leave(_ session: ListedSession, because reason: String) {
    let wasRead = prompts.removeValue(forKey: session.id) != nil
    guard unread.remove(session.id) != nil || wasRead else { return }
    leftOut.append("\(session.words), \(reason)")
    ask()
  }

  private mutating func ask() {
    let all = failed.compactMap { prompts[$0.id] }
    let canSend = unread.isEmpty && !all.isEmpty
    question = canSend ? ConsoleQuestion(.retry(all, leftOut: leftOut)) : nil
  }

  func view(_ size: ScreenSize, in model: ConsoleModel) -> ScreenBlock {
    if let question { return question.view(size, in: model) }
    let state = unread.isEmpty ? "no prompt can be sent again" : "reading the prompts…"
    let lines = [StyledText(state, .heading)] + leftOut.map { StyledText("left out: \($0)", .dim) }
    let folded = lines.flatMap { $0.folded(to: size.columns) }
    return ScreenBlock(lines: Array(folded.prefix(size.rows)), cursor: .focus())
  }
}

extension ListedSession {
  /// What it is about, and where.
  fileprivate var words: String { "\(status.goal ?? "(no message yet)"), \(place)" }
}

extension FleetView {
  /// Whether the servers tell something else of a session than what was shown.
  fileprivate func hasChanged(_ shown: ListedSession) -> Bool {
    guard let present = session(shown.id) else { return false }
    return present.phase != shown.phase
      || present.status.lastActivity != shown.status.lastActivity
  }
}
