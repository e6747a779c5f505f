// SPDX-License-Identifier: MIT

import EventLoop
import OppiClient
package import OppiModel
import OppiSystem
import OppiTerminal
import OppiText

/// Shows a turn at the end of a terminal.
struct CardView: TurnObserver {
  enum Form {
    /// Finished parts of the turn are printed, and what is unfinished is redrawn below them.
    case turn
    /// A card that is redrawn in place and stays; the answer is printed elsewhere.
    case card
    /// One line with the turn's state; pending input is printed above if the command waits for user
    /// input.
    case line(sessionID: String, isHumanAwaited: Bool)
  }

  /// The least time between two redraws.
  private static let frameTime = Duration.milliseconds(50)
  private static let animationTime = Duration.milliseconds(250)

  private let loop: EventLoop
  private let terminal: any PictureTerminal
  private let isMoving: Bool
  private var region: LiveRegion
  private var frame = 0
  private var drawnAt: EventLoop.Instant?
  private var isStale = false
  private let form: Form
  private var scroll: TurnScroll
  private var waiting = WaitingRows()
  /// Whether the connection is lost, so that the agent's state is unknown.
  private var isAway = false
  private var light: StatusLight

  /// Draws on a standard stream, which must be a terminal.
  init(
    _ form: Form,
    on stream: StandardStream,
    context: Context,
    theme: Theme
  ) throws {
    self.form = form
    loop = context.loop
    terminal = try context.terminal.picture(on: stream, on: context.loop)
    region = LiveRegion(in: theme)
    scroll = TurnScroll(width: terminal.size().columns, look: context.output.policy.look)
    isMoving = context.nonEmpty("OPPI_REDUCE_MOTION") == nil
    light = StatusLight(of: "oppi", isEnabled: context.reportsStatus)
  }

  /// The elapsed time changes even without animation.
  var tick: Duration? {
    if isStale { return Self.frameTime }
    return isMoving ? Self.animationTime : .seconds(1)
  }

  mutating func show(
    _ changes: [ActivityChange],
    _ turn: Turn,
    at now: Timestamp,
    isPast: Bool
  ) async throws {
    guard !changes.isEmpty else { return }
    if case .line(let sessionID, true) = form {
      for line in changes.needLines(of: sessionID) {
        try await note(line)
      }
    }
    if case .turn = form {
      scroll.width = terminal.size().columns
      let rows = changes.flatMap { scroll.rows(for: $0, in: turn) }
      waiting.add(rows, isInForeground: terminal.isInForeground)
    }
    // Limits the rate of redraws during fast output.
    if let drawnAt, loop.now < drawnAt + Self.frameTime {
      isStale = true
    } else {
      try await picture(turn, at: now)
    }
  }

  mutating func draw(_ turn: Turn, at now: Timestamp) async throws {
    frame += 1
    try await picture(turn, at: now)
  }

  mutating func lost(_ error: OppiError) async throws {
    isAway = true
    try await note("connection lost (\(error.message))")
  }

  mutating func regained() async throws {
    isAway = false
    try await note("reconnected")
  }

  mutating func note(_ text: String) async throws {
    let line = StyledText(text.safeLine(), .dim)
    try await terminal.write(region.printAbove([line]))
  }

  mutating func end() async throws {
    switch form {
    case .card: terminal.restore(after: region.finish() + light.show(nil))
    case .line: terminal.restore(after: region.erase() + light.show(nil))
    case .turn:
      // Of an unfinished answer, only the end was visible.
      let rest = waiting.take() + scroll.flush()
      let last = region.erase() + region.printAbove(rest)
      terminal.restore(after: last + light.show(nil))
    }
  }

  private mutating func picture(_ turn: Turn, at now: Timestamp) async throws {
    for event in terminal.takeEvents() {
      switch event {
      case .suspendRequested:
        // The unfinished part of a turn is drawn again later.
        let isKept = if case .turn = form { false } else { true }
        try await terminal.write((isKept ? region.finish() : region.erase()) + light.show(nil))
        terminal.suspend()
        region.forget()
      // Other programs may have written below the card.
      case .continued: region.forget()
      case .resized: break
      }
    }
    guard terminal.isInForeground else {
      isStale = false
      return
    }
    let (columns, rows) = terminal.size()
    let lines = lines(of: turn, at: now, columns: columns, rows: rows)
    let picture = region.draw(
      Canvas(lines, width: columns),
      on: ScreenSize(columns: columns, rows: rows),
      above: waiting.take()
    )
    try await terminal.write(picture + light.show(ProgramStatus(turn)))
    drawnAt = loop.now
    isStale = false
  }

  private static let away = StyledText(
    "connection lost, reconnecting; the state of the agent is unknown",
    .warning
  )

  /// The rows to draw, with a notice if the connection is lost.
  private func lines(
    of turn: Turn,
    at now: Timestamp,
    columns: Int,
    rows: Int
  ) -> [StyledText] {
    let away = isAway ? [Self.away.truncated(to: columns)] : []
    let room = rows - 1 - away.count
    switch form {
    case .turn:
      // Nothing of a turn that is over.
      guard !turn.isFinished else { return away }
      let card = card(of: turn.besideScroll, at: now, columns: columns, rows: max(2, room))
      return scroll.live(above: card, room: room, height: room) + away
    case .card: return card(of: turn, at: now, columns: columns, rows: max(3, room)) + away
    case .line(let sessionID, _):
      let line = ActivityLine.line(for: turn, of: sessionID, width: columns, now: now)
      return isAway ? away : [line]
    }
  }

  private func card(of turn: Turn, at now: Timestamp, columns: Int, rows: Int) -> [StyledText] {
    let frame = isMoving && !isAway ? frame : 0
    return ActivityCard.lines(for: turn, width: columns, now: now, frame: frame, limit: rows)
  }
}

extension ProgramStatus {
  package init(_ turn: Turn) {
    switch turn.status {
    case .idle: self = .idle
    case .running:
      switch turn.waitsFor {
      case .approval: self = .blocked(.permission)
      case .answer: self = .blocked(.question)
      case nil: self = .working
      }
    case .stopping: self = .working
    case .finished(.succeeded): self = .done
    case .finished(.stopped), .finished(.dropped): self = .idle
    case .finished: self = .error
    }
  }
}
