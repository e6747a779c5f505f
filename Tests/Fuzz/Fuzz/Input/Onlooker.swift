// SPDX-License-Identifier: MIT

import OppiModel
import OppiTerminal
import OppiText
import OppiTurns
import OppiWire
import TestSupport

/// Follows one session and renders each change in every output format.
struct Onlooker {
  private(set) var reducer = ActivityReducer(sessionID: "s")
  /// The time of the local clock, which may be set back.
  var now = Timestamp(milliseconds: 1_795_220_505_441)
  /// The columns and rows of the terminal.
  var size = (width: 80, height: 24)
  private var plain = PlainActivity()
  private var region = LiveRegion(in: .standard)
  private var frame = 0

  mutating func receive(_ message: ServerMessage) {
    show { $0.apply(message, at: $1) }
  }

  /// Changes the state and renders the changes.
  mutating func show(
    isPast: Bool = false,
    _ change: (inout ActivityReducer, Timestamp) -> [ActivityChange]
  ) {
    let changes = change(&reducer, now)
    for change in changes {
      expectSafe(plain.lines(for: change, isPast: isPast))
      let lines = ActivityJSON.lines(for: change, sessionID: "s", at: now, isPast: isPast)
      expectSafe(lines.map { $0.text() })
    }
    if !changes.isEmpty { draw(reducer.activity) }
  }

  mutating func draw(_ activity: Turn) {
    frame += 1
    let lines = ActivityCard.lines(
      for: activity,
      width: size.width,
      now: now,
      frame: frame,
      limit: size.height
    )
    precondition(lines.count <= size.height, "higher than \(size.height)")
    expectSafe(lines.map(\.plain), width: size.width)
    _ = region.draw(lines, width: size.width, height: size.height)
  }

  mutating func leave() {
    draw(reducer.activity)
    if let previous = reducer.previousTurn { draw(previous) }
    expectSafe(plain.flush())
    _ = region.finish()
  }
}
