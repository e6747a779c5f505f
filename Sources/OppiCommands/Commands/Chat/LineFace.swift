// SPDX-License-Identifier: MIT

import EventLoop
import OppiIntents
import OppiModel
import OppiRendering
import OppiSystem
import OppiTransport

/// A chat line by line, for terminals that can only print, and for screen readers.
struct LineFace: ChatFace {
  private let context: Context
  private var state = ChatState()
  private var plain = PlainActivity()
  private var pending: [UInt8] = []
  /// The requests that were shown, each under the number by which it is answered.
  private var requests: [PermissionRequest] = []
  /// The question, or its part, that was put last.
  private var asked: ChatQuestion?

  init(context: Context) {
    // A conversation is held in words, also where its end is told as JSON.
    self.context = context.inWords
  }

  var reader: @Sendable () async throws -> [UInt8] {
    { [loop = context.loop] in try await Input.nextBytes(on: loop) }
  }

  mutating func restore() {}

  mutating func handle(_ event: ChatRoom.Event) async throws -> [ChatState.Effect] {
    switch event {
    case .input(let bytes): return try await type(bytes)
    case .inputEnded: return [.leave]
    case .news(.changes(let changes, _), let activity, _),
      .news(.past(let changes), let activity, _):
      state.update(activity)
      try await print(changes.flatMap { plain.lines(for: $0) })
      try await ask(after: changes)
    case .news(.lost(let error, _), _, _): await context.console.warn(OppiError(error).message)
    case .news: break
    case .performed(.done(let text)): if let text { await context.console.status(StyledText(text)) }
    case .performed(.failed(let text, let id)):
      await context.console.warn(text)
      if let id { state.reopen(id) }
    case .failed(let error): throw error
    case .mail(.settled(let settled)):
      guard let text = settled.notice else { break }
      await context.console.warn(text)
      state.notSent()
    case .held: await context.console.status(StyledText("not sent yet: waiting for the session"))
    case .tick, .mail(.looked): break
    }
    return []
  }

  private mutating func type(_ bytes: [UInt8]) async throws -> [ChatState.Effect] {
    pending += bytes
    var effects: [ChatState.Effect] = []
    while let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
      let line = String(decoding: pending[..<end], as: UTF8.self).safeLine(limit: .max)
      pending.removeFirst(end + 1)
      if let word = ApprovalLine(line) {
        effects += try await decide(word)
      } else if !line.isEmpty {
        effects += state.perform(.send(line))
        try await askOn()
      }
    }
    var remote: [ChatState.Effect] = []
    for effect in effects {
      if case .say(let text) = effect {
        await context.console.status(StyledText(text))
      } else {
        remote.append(effect)
      }
    }
    return remote
  }

  private func print(_ lines: [String]) async throws {
    try await context.console.print(.step([], .lines(lines.map { StyledText($0) })))
  }

  /// Decides on the request with the number, which is the one that the person has read.
  private mutating func decide(_ word: ApprovalLine) async throws -> [ChatState.Effect] {
    let isKnown = requests.indices.contains(word.number - 1)
    guard isKnown, state.isOpen(requests[word.number - 1]) else {
      return [.say("there is no open request \(word.number)")]
    }
    let request = requests[word.number - 1]
    guard word.decision == .deny || request.isWhole else {
      return [.say("it cannot be allowed here: it is too long to be shown whole")]
    }
    let decided = state.decide(request, word.decision)
    return decided + (word.reason.map { state.send($0, as: .steer) } ?? [])
  }

  /// Says how what has just been asked is answered.
  private mutating func ask(after changes: [ActivityChange]) async throws {
    for change in changes {
      switch change {
      case .approvalRequested(let request, _):
        requests.append(request)
        let number = requests.count
        try await print([
          "answer with 'allow \(number)', 'allow \(number) session', 'deny \(number)' or "
            + "'deny \(number) REASON'"
        ])
      case .question: try await askOn()
      default: break
      }
    }
  }

  /// Puts the question that is open, or its next part.
  private mutating func askOn() async throws {
    guard let question = state.question, asked != question else { return }
    asked = question
    try await print(question.lines(width: .max).map(\.plain))
    if let prefill = question.prefill { try await print([prefill.safeBlock()]) }
  }
}

/// A typed line that decides on a request: `allow 1`, `allow 1 session`, `deny 1`, `deny 1 why`.
struct ApprovalLine: Equatable {
  let number: Int
  let decision: PermissionDecision
  let reason: String?

  /// Reads a line; `nil` for any other, which is a message.
  init?(_ line: String) {
    let words = line.split(separator: " ", maxSplits: 2).map(String.init)
    guard words.count >= 2, let number = Int(words[1]) else { return nil }
    let rest = words.count == 3 ? words[2] : nil
    switch (words[0], rest) {
    case ("allow", nil): (decision, reason) = (.allow, nil)
    case ("allow", "session"): (decision, reason) = (.allowForSession, nil)
    case ("deny", _): (decision, reason) = (.deny, rest)
    default: return nil
    }
    self.number = number
  }
}
