// SPDX-License-Identifier: MIT

import OppiTerminal
import TestSupport
import Testing

@testable import OppiModel
@testable import OppiText
@testable import OppiTurns
@testable import OppiWire

/// The conditions of an approval: the end of the request was visible, and keys came after delays.
@Suite struct ApprovalPanelTests {
  private static let columns = 80
  /// The row of the choices and the row above it.
  private static let otherRows = 2
  private static let glance = Duration.milliseconds(250)

  private static func request(lines: Int) -> PermissionRequest {
    .call("p1", (1...lines).map { "echo \($0)" }.joined(separator: "\n"))
  }

  private static func rowCount(of request: PermissionRequest) -> Int {
    RequestText.rows(of: .permission(request), width: columns).count
  }

  /// A panel that shows as many rows of the request as given, and accepts keys.
  private static func shown(
    _ request: PermissionRequest,
    rows: Int
  ) -> (panel: RequestPanel, now: Duration) {
    var panel = RequestPanel(.call(request))
    panel.fit(columns: columns, rows: rows + otherRows)
    panel.wasShown(at: .zero)
    panel.wait(at: TypingGate.rest)
    return (panel, TypingGate.rest)
  }

  /// Selects a choice by its letter, waits and presses Enter.
  private static func choose(
    _ letter: String,
    in panel: inout RequestPanel,
    at now: inout Duration
  ) -> RequestPanel.Outcome {
    now += TypingGate.rest
    let outcome = panel.take(.text(letter), at: now)
    guard outcome == .taken else { return outcome }
    panel.wasShown(at: now)
    now += glance
    return panel.take(.enter, at: now)
  }

  // MARK: - The end

  @Test(
    "a request can be allowed only if no row is hidden, and can always be denied",
    arguments: [2, 10, 100]
  )
  func lastRow(lines: Int) {
    let request = Self.request(lines: lines)
    let count = Self.rowCount(of: request)
    for (letter, choice) in [("a", CallChoice.allowOnce), ("s", .allowForSession)] {
      var (panel, now) = Self.shown(request, rows: count - 1)
      let early = Self.choose(letter, in: &panel, at: &now)
      #expect(early != .confirmed(choice), "\(count - 1) of \(count) rows")
      var (whole, later) = Self.shown(request, rows: count)
      #expect(Self.choose(letter, in: &whole, at: &later) == .confirmed(choice))
    }
    var (panel, now) = Self.shown(request, rows: count - 1)
    #expect(Self.choose("d", in: &panel, at: &now) == .confirmed(.deny))
  }

  @Test("the end of a request counts as seen when it is drawn, not when it is scrolled to")
  func scrolledTo() {
    let request = Self.request(lines: 30)
    let count = Self.rowCount(of: request)
    var (panel, now) = Self.shown(request, rows: 5)
    for step in 1...(count - 5) {
      #expect(Self.choose("a", in: &panel, at: &now) != .confirmed(.allowOnce), "\(step)")
      _ = panel.take(.down, at: now)
      panel.fit(columns: Self.columns, rows: 5 + Self.otherRows)
      // The panel has not been redrawn since.
      #expect(panel.take(.enter, at: now + Self.glance) != .confirmed(.allowOnce), "\(step)")
      panel.wasShown(at: now)
    }
    #expect(Self.choose("a", in: &panel, at: &now) == .confirmed(.allowOnce))
  }

  @Test("a window without room for a row of the request says so, and allows nothing")
  func noRoom() {
    let request = Self.request(lines: 1)
    for (columns, rows) in [(80, 2), (80, 0), (7, 50)] {
      var panel = RequestPanel(.call(request))
      panel.fit(columns: columns, rows: rows)
      panel.wasShown(at: .zero)
      var now = TypingGate.rest
      let lines = panel.view().lines.map(\.plain)
      #expect(rows != 2 || lines.first == "window too small for the text", "\(lines)")
      _ = panel.take(.end, at: now)
      panel.fit(columns: columns, rows: rows)
      panel.wasShown(at: now)
      #expect(Self.choose("a", in: &panel, at: &now) != .confirmed(.allowOnce))
    }
  }

  // MARK: - Pauses

  @Test("Enter confirms a selection 250 ms after it was drawn, and not earlier")
  func glance() {
    for (choose, choice) in [("a", CallChoice.allowOnce), ("d", .deny)] {
      var (panel, now) = Self.shown(Self.request(lines: 1), rows: 10)
      _ = panel.take(.text(choose), at: now)
      #expect(panel.take(.enter, at: now + Self.glance) != .confirmed(choice), "nothing was drawn")
      panel.wasShown(at: now)
      now += Self.glance
      #expect(panel.take(.enter, at: now - .milliseconds(1)) != .confirmed(choice))
      #expect(panel.take(.enter, at: now) == .confirmed(choice))
    }
  }

  @Test("a changed selection must be drawn for 250 ms again")
  func otherSelection() {
    var (panel, now) = Self.shown(Self.request(lines: 1), rows: 10)
    _ = panel.take(.text("d"), at: now)
    panel.wasShown(at: now)
    now += .seconds(5)
    _ = panel.take(.right, at: now)
    #expect(panel.selection == .denyWithReason)
    _ = panel.take(.right, at: now)
    #expect(panel.selection == .allowOnce)
    panel.wasShown(at: now)
    #expect(panel.take(.enter, at: now + .milliseconds(249)) != .confirmed(.allowOnce))
    #expect(panel.take(.enter, at: now + .milliseconds(250)) == .confirmed(.allowOnce))
  }

  @Test("a second letter selects after one second, and counts as typing before that")
  func letters() {
    for (pause, isTyping) in [(999, true), (1000, false)] {
      var (panel, now) = Self.shown(Self.request(lines: 1), rows: 10)
      _ = panel.take(.text("d"), at: now)
      now += .milliseconds(pause)
      let outcome = panel.take(.text("a"), at: now)
      #expect(outcome == (isTyping ? .typed(before: "d") : .taken))
      #expect(panel.selection == (isTyping ? nil : .allowOnce))
    }
  }

  @Test("a panel that is shown again takes no key before another pause")
  func again() {
    var (panel, now) = Self.shown(Self.request(lines: 1), rows: 10)
    panel = panel.shownAgain
    panel.fit(columns: Self.columns, rows: 10 + Self.otherRows)
    panel.wasShown(at: now)
    now += TypingGate.rest - .milliseconds(1)
    #expect(panel.take(.text("a"), at: now) != .taken)
    #expect(panel.selection == nil)
    #expect(Self.choose("a", in: &panel, at: &now) == .confirmed(.allowOnce))
  }

  @Test("each letter selects its own choice, which has its own decision")
  func choices() {
    let all: [(String, CallChoice, PermissionDecision)] = [
      ("a", .allowOnce, .allow), ("s", .allowForSession, .allowForSession),
      ("d", .deny, .deny), ("r", .denyWithReason, .deny),
    ]
    for (letter, choice, decision) in all {
      var (panel, now) = Self.shown(Self.request(lines: 1), rows: 10)
      #expect(Self.choose(letter, in: &panel, at: &now) == .confirmed(choice))
      #expect(choice.decision == decision)
    }
  }

  @Test("an incomplete request cannot be allowed")
  func part() {
    let request = PermissionRequest(
      id: "p1",
      tool: String(repeating: "t", count: 201),
      input: ["command": "ls"],
      summary: "ls"
    )
    var (panel, now) = Self.shown(request, rows: 40)
    #expect(Self.choose("a", in: &panel, at: &now) != .confirmed(.allowOnce))
    #expect(Self.choose("s", in: &panel, at: &now) != .confirmed(.allowForSession))
    #expect(Self.choose("d", in: &panel, at: &now) == .confirmed(.deny))
  }
}

extension RequestPanel.Outcome {
  fileprivate static func confirmed(_ choice: CallChoice) -> Self {
    choice == .denyWithReason ? .asksReason : .replied(.decision(choice.decision))
  }
}

/// The time from which keys go to a panel and not to the draft.
@Suite struct TypingGateTests {
  private static let rest = TypingGate.rest

  @Test(
    "a gate opens one second after its panel was drawn first and after the last key, not earlier",
    arguments: [
      ([], 100_000, 101_000), ([1000], 100_000, 101_000),
      ([100_500, 101_400, 102_300], 100_000, 103_300),
      // Keys may be handled out of order: the latest press counts.
      ([10_999, 5000, 11_998], 10_000, 12_998), ([9000], 10_000, 11_000),
      ([500, 1400, 2300, 3299], 0, 4299),
    ] as [([Int], Int, Int)]
  )
  func opens(keys: [Int], drawn: Int, opening: Int) {
    var gate = TypingGate()
    gate.wait(at: .milliseconds(drawn))
    #expect(!gate.isOpen, "the panel was not drawn yet")
    for time in [drawn, drawn + 500] { gate.wasShown(at: .milliseconds(time)) }
    for key in keys { #expect(gate.lets(at: .milliseconds(key)) == false, "\(key)") }
    gate.wait(at: .milliseconds(opening - 1))
    #expect(!gate.isOpen)
    for time in [opening, opening + 1] { #expect(gate.lets(at: .milliseconds(time)) == true) }
  }

  @Test("Enter sends no message within half a second of a decision")
  func enterGuard() {
    var guardian = EnterGuard(until: EnterGuard.doublePress, isMoved: false)
    #expect(guardian.stops(.enter, at: .milliseconds(499)) == true)
    #expect(guardian.stops(.text("x"), at: .milliseconds(499)) == false)
    #expect(guardian.stops(.enter, at: .milliseconds(500)) == false)
    #expect(!guardian.isOver(at: .milliseconds(499)) && guardian.isOver(at: .milliseconds(500)))
  }

  @Test("after a request is gone, Enter sends nothing until one second passes without a key")
  func movedGuard() {
    var guardian = EnterGuard(until: .seconds(1), isMoved: true)
    #expect(guardian.stops(.text("x"), at: .milliseconds(900)) == false)
    #expect(guardian.stops(.enter, at: .milliseconds(1899)) == true)
    #expect(guardian.stops(.enter, at: .milliseconds(2898)) == true)
    #expect(guardian.stops(.enter, at: .milliseconds(3898)) == false)
  }
}

/// The choices of a request in narrow and low windows.
@Suite struct ApprovalPanelSizeTests {
  private static func panel(columns: Int, rows: Int) -> RequestPanel {
    var panel = RequestPanel(.call(.call("p1", "git push origin main")))
    panel.fit(columns: columns, rows: rows)
    panel.wasShown(at: .zero)
    panel.wait(at: TypingGate.rest)
    return panel
  }

  private static func lines(_ panel: RequestPanel) -> [String] {
    panel.view().lines.map(\.plain)
  }

  @Test(
    "the choices take as few rows as their order allows",
    arguments: [(80, 1), (70, 2), (40, 2), (39, 3), (30, 3), (29, 4), (20, 4)]
  )
  func rows(columns: Int, count: Int) {
    let choices = Self.lines(Self.panel(columns: columns, rows: 12)).suffix(count)
    #expect(choices.first?.contains("allow once") == true, "\(choices)")
    let words = ["allow once", "allow for this session", "deny", "deny with a reason"]
    #expect(words.allSatisfy { word in choices.contains { $0.contains(word) } }, "\(choices)")
    #expect(choices.allSatisfy { DisplayWidth.of($0) <= max(columns, 25) }, "\(choices)")
  }

  @Test("the cursor stands on the selected choice, in any width", arguments: 10...100)
  func cursor(columns: Int) {
    for (letter, word) in [
      ("a", "allow once"), ("s", "allow for this session"), ("d", "deny"),
      ("r", "deny with a reason"),
    ] {
      var panel = Self.panel(columns: columns, rows: 20)
      _ = panel.take(.text(letter), at: TypingGate.rest * 2)
      let lines = Self.lines(panel)
      let cursor = panel.view().cursor ?? .focus()
      #expect(
        lines[cursor.row].dropFirst(cursor.column).hasPrefix("▸\(letter) \(word)"),
        "\(lines)"
      )
    }
  }
}
