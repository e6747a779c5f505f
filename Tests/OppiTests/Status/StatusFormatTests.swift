// SPDX-License-Identifier: MIT

import OppiModel
import TestSupport
import Testing

@testable import Oppi

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

  private static let statuses = ContentState.Status.allCases

  private static func state(_ status: ContentState.Status) -> ContentState {
    var state = waiting
    state.status = status
    return state
  }

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
          ! Waiting for approval: webapp on studio 1:35 left
          bash: make it
          risk: deletes data
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
    #expect(Self.lines(.polybar, Self.waiting) == ["%{F#b96a00}! approval 1:35%{F-}"])
    #expect(Self.lines(.tmux, Self.waiting) == ["#[fg=black,bg=yellow]! approval 1:35#[default]"])
    for format in [StatusFormat.polybar, .tmux] {
      #expect(Self.lines(format, Self.running) == ["▶ running"])
      #expect(Self.lines(format, Self.running, .minimal) == ["▶"])
    }
  }

  @Test("the colours for bars are about as legible on black as on white", arguments: statuses)
  func contrast(status: ContentState.Status) {
    guard let color = Glance(Self.state(status), at: .noon).color else { return }
    let ratios = [0, 1].map { Luminance.contrast(Luminance.of(hex: color), $0) }
    #expect(ratios.allSatisfy { $0 >= 4 }, "\(color): \(ratios)")
  }

  @Test("a style for tmux sets both colours and ends, and is only for what needs the user")
  func tmuxStyles() throws {
    for status in Self.statuses {
      let line = try #require(Self.lines(.tmux, Self.state(status)).first)
      let needsUser = [.awaitingApproval, .awaitingAnswer, .error].contains(status)
      #expect(line.contains("#[") == needsUser, "\(line)")
      guard needsUser else { continue }
      #expect(line.contains(/^#\[fg=[a-z]+,bg=[a-z]+\]/) && line.hasSuffix("#[default]"), "\(line)")
    }
  }

  @Test("i3blocks output has the full text, the short text and the colour")
  func i3blocks() {
    #expect(Self.lines(.i3blocks, Self.waiting) == ["! approval 1:35", "!", "#b96a00"])
    #expect(Self.lines(.i3blocks, Self.running) == ["▶ running", "▶"])
    #expect(
      Self.lines(.i3blocks, Self.running, .expanded).first
        == "▶ Running: webapp on studio · sessions: 1 running"
    )
  }

  @Test("Argos output has a title, a separator and a menu, with all interpretation turned off")
  func argos() {
    let rest = " | useMarkup=false ansi=false emojize=false unescape=false"
    #expect(
      Self.lines(.argos, Self.waiting) == [
        "! approval 1:35\(rest) color=#b96a00", "---",
        "! Waiting for approval: webapp on studio 1:35 left\(rest)", "bash: make it\(rest)",
        "risk: deletes data\(rest)", "1 of 2 done\(rest)", "sessions: 1 waiting\(rest)",
      ]
    )
  }
}
