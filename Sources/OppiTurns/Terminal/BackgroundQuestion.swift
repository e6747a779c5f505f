// SPDX-License-Identifier: MIT

import EventLoop
import OppiTerminal

/// The question for the background of the terminal, which a program asks before its first frame.
struct BackgroundQuestion: Sendable {
  /// How long the first frame waits.
  private static let frameLimit = Duration.milliseconds(100)
  /// How long an answer may take on a slow connection; later, the terminal counts as silent.
  private static let answerLimit = Duration.seconds(5)
  /// How long the end of the program waits for an answer that the shell would get.
  static let dropLimit = Duration.milliseconds(500)

  /// `nil` if it is not asked.
  private let asked: EventLoop.Instant?
  /// Whether the first frame need not wait any longer.
  private var isFrameFree = false
  private var isClosed = false

  init(askedAt asked: EventLoop.Instant?) { self.asked = asked }

  var bytes: [UInt8] { asked == nil ? [] : Background.question }

  /// Whether the first frame waits for the answer.
  func delaysFrame(at now: EventLoop.Instant) -> Bool {
    !isFrameFree && isOpen(for: Self.frameLimit, at: now)
  }

  /// Whether an answer may still come.
  func isOpen(at now: EventLoop.Instant) -> Bool { isOpen(for: Self.answerLimit, at: now) }

  private func isOpen(for limit: Duration, at now: EventLoop.Instant) -> Bool {
    guard let asked, !isClosed else { return false }
    return asked.duration(to: now) < limit
  }

  /// Notes a part of the answer; returns whether it was asked for.
  mutating func receive(_ answer: KeyDecoder.Event) -> Bool {
    isFrameFree = true
    if answer == .attributes { isClosed = true }
    return asked != nil
  }

  /// Expects no more answers.
  mutating func close() { isClosed = true }
}
