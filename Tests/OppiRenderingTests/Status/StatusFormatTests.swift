// SPDX-License-Identifier: MIT

import OppiModel
import TestSupport
import Testing

@testable import OppiRendering

@Suite struct StatusFormatTests {
  private static let waiting = ContentState.of(
    .sample(
      "a",
      .waiting,
      turn: TurnSummary(startedAt: .ago(60), todo: TodoProgress(completed: 1, total: 2)),
      approvals: [.sample("it", .destructive, expiresAt: .ago(-95))]
    )
  )
  private static let running = ContentState.of(.sample("a", .running))
  private static let old = ContentState.of(.sample(heard: .ago(400), [.sample("a", .running)]))

  static func lines(
    _ format: StatusFormat,
    _ state: ContentState,
    _ presentation: StatusPresentation = .compact
  ) -> [String] {
    guard case .bar(let lines) = format.form else { return [] }
    return lines(Glance(state, at: .noon), presentation).map(\.text)
  }

  @Test("names are unique, and formats other than bars have no lines")
  func table() {
    let names = StatusFormat.all.map(\.name)
    #expect(names == ["text", "json", "waybar", "polybar", "i3blocks", "tmux", "argos"])
    #expect(Set(names).count == names.count)
    #expect(StatusFormat.all.filter(\.tellsUrgency).map(\.name) == ["i3blocks"])
    #expect(StatusFormat.all.filter { !$0.isStream }.map(\.name) == ["i3blocks", "argos"])
  }

  @Test("waybar output is one object on one line")
  func waybar() throws {
    let lines = Self.lines(.waybar, Self.waiting)
    let object = try JSONValue(parsing: Array(try #require(lines.first).utf8))
    #expect(lines.count == 1)
    #expect(
      object == [
        "text": "! approval 1:35", "alt": "awaitingApproval", "class": ["awaitingApproval"],
        "percentage": 50,
        "tooltip": .string(
          """
          ! Approval needed: webapp on studio 1:35 left
          bash: make it
          risk: destructive
          1 of 2 done
          sessions: 1 waiting
          """
        ),
      ]
    )
    let old = try JSONValue(parsing: Array(try #require(Self.lines(.waybar, Self.old).first).utf8))
    #expect(old["class"] == ["processing", "stale"] && old["percentage"] == .null)
  }

  @Test("polybar and tmux output uses the colour of the state, or none for normal states")
  func colored() {
    #expect(Self.lines(.polybar, Self.waiting) == ["%{F#ff9f0a}! approval 1:35%{F-}"])
    #expect(Self.lines(.tmux, Self.waiting) == ["#[fg=#ff9f0a,bg=black]! approval 1:35#[default]"])
    for format in [StatusFormat.polybar, .tmux] {
      #expect(Self.lines(format, Self.running) == ["▶ running"])
      #expect(Self.lines(format, Self.running, .minimal) == ["▶"])
    }
  }

  @Test("i3blocks output has the full text, the short text and the colour")
  func i3blocks() {
    #expect(Self.lines(.i3blocks, Self.waiting) == ["! approval 1:35", "!", "#ff9f0a"])
    #expect(Self.lines(.i3blocks, Self.running) == ["▶ running", "▶"])
    #expect(
      Self.lines(.i3blocks, Self.running, .expanded).first
        == "▶ Processing: webapp on studio · sessions: 1 running"
    )
  }

  @Test("Argos output has a title, a separator and a menu, with all interpretation turned off")
  func argos() {
    let rest = " | useMarkup=false ansi=false emojize=false unescape=false"
    #expect(
      Self.lines(.argos, Self.waiting) == [
        "! approval 1:35\(rest) color=#ff9f0a", "---",
        "! Approval needed: webapp on studio 1:35 left\(rest)", "bash: make it\(rest)",
        "risk: destructive\(rest)", "1 of 2 done\(rest)", "sessions: 1 waiting\(rest)",
      ]
    )
  }
}
