// SPDX-License-Identifier: MIT

import OppiModel
import OppiTerminal
import OppiText
import OppiWire
import TestSupport
import Testing

@testable import OppiClient
@testable import OppiTurns

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
    return lines(BarText(state, at: .noon), presentation).map(\.text)
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
    guard let color = BarText(Self.state(status), at: .noon).color else { return }
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

/// Server text is never markup, a command or an extra line for a bar.
@Suite struct HostileStatusTests {
  private static let texts =
    Hostile.texts + [
      "%{A1:rm -rf ~:}x%{A}", "%%{A1:cmd:}", "%", "{A1:cmd:}", "%{\u{301}A1:cmd:}",
      "%\u{200B}{F#f00}",
      "#(cmd)", "#[fg=red]", "##{pid}", "#", "#\u{301}(cmd)", "x | bash='cmd' terminal=false",
      "|\u{301} bash=cmd", "---", "--\u{301}sub", " - x", "-\u{301}", "<span size='9'>x</span>",
      "<\u{301}b>", "&lt;&", "&\u{301}amp;", "a\nb\r\nc\u{2028}d", "\"}\n{\"text\":\"x",
    ]

  /// States in which each text is hostile.
  private static func states(_ text: String) -> [ContentState] {
    let line = text.safeLine()
    var turn = TurnSummary(startedAt: .ago(9), operation: line, failure: line)
    turn.todo = TodoProgress(completed: 1, total: 2, current: line)
    let request = PendingApproval(id: "r", tool: line, summary: line, reason: line, risk: .high)
    let sessions = SessionPhase.allCases.map { phase in
      let approvals = phase == .waiting ? [request] : []
      var session = SessionStatus.sample("s", phase, turn: turn, approvals: approvals)
      (session.workspaceName, session.goal) = (line, line)
      return session
    }
    var asking = sessions[0]
    asking.approvals = []
    asking.question = .init(id: "q", text: line)
    let shown = (sessions + [asking]).map { session in
      let gone = ServerStatus.sample("office", heard: nil, failure: line)
      var server = ServerStatus.sample([session])
      server.name = line
      return ContentState.of(server, gone)
    }
    return shown + [ContentState(failure: text)]
  }

  @Test("each format gives whole lines of printable text", arguments: texts)
  func lines(text: String) {
    for state in Self.states(text) {
      let glance = BarText(state, at: .noon)
      for presentation in StatusPresentation.allCases {
        let shown = glance.lines(presentation).map(\.plain) + [glance.text]
        #expect(shown.allSatisfy { !$0.isEmpty && $0.unicodeScalars.allSatisfy(\.isTypeable) })
        for format in StatusFormat.all {
          let lines = StatusFormatTests.lines(format, state, presentation)
          #expect(lines.isEmpty == !format.isBar)
          let parting: Set<Unicode.Scalar> = format == .polybar ? ["\u{200B}"] : []
          #expect(
            lines.allSatisfy { line in
              !line.isEmpty
                && line.unicodeScalars.allSatisfy { $0.isTypeable || parting.contains($0) }
            }
          )
        }
      }
    }
  }

  @Test("polybar output contains no tag but the colour", arguments: texts)
  func polybar(text: String) throws {
    for line in Self.states(text).flatMap({ StatusFormatTests.lines(.polybar, $0, .expanded) }) {
      var scalars = line.unicodeScalars.map(String.init)
      if line.hasPrefix("%{F#") { scalars = Array(scalars.dropFirst(11).dropLast(5)) }
      for (first, second) in zip(scalars, scalars.dropFirst()) {
        #expect(first + second != "%{", "\(line)")
      }
    }
  }

  @Test("tmux output contains no format but the colour", arguments: texts)
  func tmux(text: String) {
    for line in Self.states(text).flatMap({ StatusFormatTests.lines(.tmux, $0, .expanded) }) {
      var content = line.unicodeScalars[...]
      // Every style has both colours.
      if line.hasPrefix("#[fg="), let end = content.firstIndex(of: "]") {
        content = content[content.index(after: end)...].dropLast("#[default]".count)
      }
      // Only pairs remain.
      let runs = content.split { $0 != "#" }
      #expect(runs.allSatisfy { $0.count.isMultiple(of: 2) }, "\(line)")
    }
  }

  @Test("Argos output contains no attributes or submenus from server text", arguments: texts)
  func argos(text: String) {
    for state in Self.states(text) {
      let lines = StatusFormatTests.lines(.argos, state, .expanded)
      for (index, line) in lines.enumerated() where index != 1 {
        #expect(line.unicodeScalars.count { $0 == "|" } == 1, "\(line)")
        #expect(line.unicodeScalars.first != "-", "\(line)")
      }
      #expect(lines.count { $0 == "---" } == 1)
    }
  }

  @Test("waybar output is one object without markup in its texts", arguments: texts)
  func waybar(text: String) throws {
    for line in Self.states(text).flatMap({ StatusFormatTests.lines(.waybar, $0, .expanded) }) {
      let object = try JSONValue(parsing: Array(line.utf8))
      for name in ["text", "tooltip"] {
        let markup = try #require(object[name].string)
        #expect(!markup.unicodeScalars.contains { $0 == "<" || $0 == ">" })
        let entities = markup.unicodeScalars.split(separator: "&", omittingEmptySubsequences: false)
        for entity in entities.dropFirst() {
          let rest = String(entity)
          #expect(
            ["amp;", "lt;", "gt;"].contains { rest.unicodeScalars.starts(with: $0.unicodeScalars) }
          )
        }
      }
    }
  }
}
