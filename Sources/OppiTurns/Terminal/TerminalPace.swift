// SPDX-License-Identifier: MIT

import EventLoop

/// How far a terminal is behind what was written to it.
///
/// A slow line takes kilobytes long before they are on the screen. So each part of a picture ends in
/// a question for the status of the terminal, and what it has not answered counts as not seen. The
/// line gets no more at once than it passes in a twentieth of a second, or in the time of the way there
/// and back: a key need not wait for long.
struct TerminalPace: Sendable {
  /// Terminals answer these since the VT100, and all in order.
  enum Question {
    /// DSR 5 (ECMA-48, section 8.3.35).
    case status
    /// DA1 (ECMA-48, section 8.3.24), also the end of ``Background/question``.
    case attributes

    fileprivate var bytes: [UInt8] { Array((self == .status ? "\u{1B}[5n" : "\u{1B}[c").utf8) }
  }

  /// How long the line may take for what it gets at once, however short the way there and back is.
  private static let passage = Duration.milliseconds(50)
  /// The bytes that it gets at once: about a row, and a picture of a large screen.
  private static let window = 128...65536
  /// Larger parts, in bytes, say nothing about the way there and back.
  private static let smallPart = 256
  /// How long the first answer may take; later, the terminal counts as silent.
  private static let firstLimit = Duration.milliseconds(500)
  /// How long a key may wait for an answer.
  private static let keyLimit = Duration.seconds(1)
  /// How long other answers may take before the program goes on without them.
  private static let limit = Duration.seconds(5)

  /// What was written and is not answered.
  private struct Part {
    let question: Question
    let bytes: Int
    /// The bytes that had to pass with it.
    let queued: Int
    let writtenAt: EventLoop.Instant
  }

  private var parts: [Part] = []
  /// What is asked: another question after an answer was lost, so that a late one is not taken for that
  /// of a later part.
  private var question = Question.status
  private var window = Self.window.upperBound
  /// The least time in which an answer has come: that of the way there and back; `nil` if unknown.
  private var latency: Duration?
  /// Since when an answer is awaited, if one is.
  private var since: EventLoop.Instant?
  private var hasAnswered = false

  /// Whether everything that was written is on the screen, or the terminal does not say.
  func isConfirmed(at now: EventLoop.Instant) -> Bool { parts.isEmpty || isSilent(at: now) }

  /// Whether an answer is awaited.
  func isBehind(at now: EventLoop.Instant) -> Bool {
    guard let since, !parts.isEmpty else { return false }
    return since.duration(to: now) < (hasAnswered ? Self.limit : Self.firstLimit)
  }

  /// How many bytes may be written; after some time without an answer, keys are shown in any case.
  func room(at now: EventLoop.Instant) -> Int {
    if isSilent(at: now) { return .max }
    let isLate = since.map { $0.duration(to: now) >= Self.keyLimit } ?? true
    return isLate ? window : max(0, window - queued)
  }

  /// Notes that a part is written; returns the question at its end.
  mutating func ask(after bytes: Int, at now: EventLoop.Instant) -> [UInt8] {
    guard !isSilent(at: now) else { return [] }
    if !parts.isEmpty, !isBehind(at: now) {
      forget()
      question = question == .status ? .attributes : .status
    }
    expect(question, after: bytes, at: now)
    return question.bytes
  }

  /// Notes that bytes are written that end in a question.
  mutating func expect(_ question: Question, after bytes: Int, at now: EventLoop.Instant) {
    if parts.isEmpty { since = now }
    let queued = queued + bytes
    parts.append(Part(question: question, bytes: bytes, queued: queued, writtenAt: now))
  }

  /// Notes an answer; one that is not awaited changes nothing.
  mutating func receive(_ answer: Question, at now: EventLoop.Instant) {
    guard let index = parts.firstIndex(where: { $0.question == answer }) else { return }
    let part = parts[index]
    parts.removeFirst(index + 1)
    (hasAnswered, since) = (true, now)
    let time = part.writtenAt.duration(to: now)
    if part.queued <= Self.smallPart { latency = min(time, latency ?? time) }
    let way = latency ?? .zero
    let passed = time - min(time, way)
    let allowed = max(Self.passage, way)
    if passed > allowed {
      window = max(Self.window.lowerBound, Int(Double(part.queued) * (allowed / passed)))
    } else if part.queued > window / 2 {
      // A small part says nothing about a larger window.
      window = min(Self.window.upperBound, window * 2)
    }
  }

  /// Expects no more answers, because another program reads them.
  mutating func forget() { parts = [] }

  private var queued: Int { parts.reduce(0) { $0 + $1.bytes } }

  /// A terminal that does not answer shows everything at once, as far as a program can know.
  private func isSilent(at now: EventLoop.Instant) -> Bool {
    !hasAnswered && !parts.isEmpty && !isBehind(at: now)
  }
}
