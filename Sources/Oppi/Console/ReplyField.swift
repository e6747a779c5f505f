// SPDX-License-Identifier: MIT

import OppiModel
import OppiRendering

/// A message to a session, while it is typed.
///
/// Enter sends nothing within a second after the field appeared: keys that were typed ahead were
/// meant for what was on the screen before.
struct ReplyField: Sendable {
  enum Outcome: Sendable, Equatable {
    case taken
    case closed
    case tooEarly
    case sent(String)
  }

  static let tooEarlyNotice =
    "not sent: the session changed; check it and press Enter again"

  let id: BoardSession.ID
  private(set) var composer = Composer()
  private var shownAt: Duration?

  /// `draft` is an earlier message that was not sent.
  init(to id: BoardSession.ID, draft: String?) {
    self.id = id
    if let draft { composer.replace(draft) }
  }

  mutating func wasShown(at now: Duration) { shownAt = shownAt ?? now }

  /// After a stop of the program or another tab, the field counts as new.
  mutating func isShownAgain() { shownAt = nil }

  mutating func take(_ key: Key, at pressed: Duration) -> Outcome {
    guard key != .escape, key != .control("c") else { return .closed }
    let isSeen = shownAt.map { pressed >= $0 + ApprovalPolicy.typingPause } ?? false
    guard key != .enter || isSeen else { return .tooEarly }
    guard case .send(let text)? = composer.apply(key) else { return .taken }
    return .sent(text)
  }
}
