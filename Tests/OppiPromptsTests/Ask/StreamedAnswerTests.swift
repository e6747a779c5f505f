// SPDX-License-Identifier: MIT

import FakeServer
import OppiSystem
import OppiWire
import Simulation
import Testing

@testable import OppiTestSupport

/// A Markdown answer on a terminal while it arrives.
@Suite struct StreamedAnswerTests {
  /// Texts of finished blocks, in order.
  private static let marks = [
    "I will look at the notes first.", "cat NOTES.md", "is ready, except", "Tasks",
    "Update the manual", "the tag needs", "swift build -c release", "Linux", "A quote",
    "print(greeting)", "That is all.",
  ]

  /// Runs a test in a world whose agent pauses between the pieces of its answer.
  private func inSlowWorld(
    _ body: @escaping @Sendable (World, VirtualServer) async throws -> Void
  ) {
    inWorld(isPaired: true, { $0.pace = .milliseconds(1500) }, body)
  }

  /// Checks that each part is on the terminal, in order, and once unless rows of an unfinished block
  /// may be left; and that no other live row is left.
  private func check(_ lines: [String], mayRepeat: Bool = false) {
    var last = -1
    for mark in Self.marks {
      let places = lines.indices.filter { lines[$0].contains(mark) }
      let end = places.last ?? -1
      #expect(
        end > last && (mayRepeat || places.count == 1),
        "\(mark) is in \(places):\n\(text(lines))"
      )
      last = end
    }
    if mayRepeat { return }
    for live in ["Activity", "Answering", "Running", "Thinking", "Enter: "] {
      #expect(!lines.contains { $0.contains(live) }, "\(live) is left:\n\(text(lines))")
    }
  }

  private func text(_ lines: [String]) -> String { lines.joined(separator: "\n") }

  @Test(
    "a watch prints each finished block while the answer arrives",
    arguments: ["follow", "ask"]
  )
  func watches(command: String) {
    inSlowWorld { world, _ in
      var words = ["ask", "--follow", "-w", "demo", "markdown"]
      if command == "follow" {
        _ = try await world.session(asking: "markdown")
        words = ["follow", "last"]
      }
      let terminal = world.start(words)
      try await terminal.see("Update the manual")
      let early = terminal.lines
      #expect(early.contains("Release notes") && early.contains("Tasks"), "\(text(early))")
      #expect(!early.contains { $0.contains("That is all.") }, "\(text(early))")
      try await terminal.end(exits: 0)
      check(terminal.lines)
      let isKept = early.prefix { $0 != "Tasks" }.elementsEqual(
        terminal.lines.prefix { $0 != "Tasks" }
      )
      #expect(isKept, "\(text(terminal.lines))")
      #expect(terminal.isRestored, "\(text(terminal.lines))")
    }
  }

  @Test("with --plain, the answer is printed as written")
  func plain() {
    inWorld(isPaired: true) { world, _ in
      let terminal = world.start(["ask", "--follow", "--plain", "-w", "demo", "markdown"])
      try await terminal.end(exits: 0)
      for line in ["## Tasks", "```swift", "print(greeting)"] {
        #expect(terminal.lines.contains(line), "\(text(terminal.lines))")
      }
      #expect(!terminal.lines.contains("  print(greeting)"), "\(text(terminal.lines))")
    }
  }

  @Test("a watch that begins within a message prints the whole message once")
  func joins() {
    inSlowWorld { world, _ in
      _ = try await world.session(asking: "markdown")
      try await world.pass(.seconds(30))
      let terminal = world.start(["follow", "last"])
      try await terminal.see("A quote")
      #expect(!terminal.lines.contains("Release notes"), "\(text(terminal.lines))")
      #expect(try await terminal.end().status == 0)
      check(terminal.lines)
    }
  }

  @Test("resizing while an answer arrives leaves no stale rows", arguments: 0..<6)
  func resizes(seed: Int) {
    inSlowWorld { world, _ in
      _ = try await world.session(asking: "markdown")
      let terminal = world.start(["follow", "last"])
      let sizes = [(40, 24), (100, 30), (60, 20), (120, 40), (50, 24)]
      for (index, mark) in Self.marks.dropFirst(3).enumerated() {
        try await terminal.see(mark)
        let (columns, rows) = sizes[(seed + index) % sizes.count]
        terminal.resize(columns: columns, rows: rows)
      }
      #expect(try await terminal.end().status == 0)
      check(terminal.lines)
    }
  }

  @Test("Ctrl-Z while an answer arrives leaves no unfinished block")
  func suspends() {
    inSlowWorld { world, _ in
      _ = try await world.session(asking: "markdown")
      let terminal = world.start(["follow", "last"])
      for mark in ["which shows where", "Update the manual", "swift build"] {
        try await terminal.see(mark)
        terminal.signal(.suspendRequested)
        terminal.signal(.continued)
      }
      #expect(try await terminal.end().status == 0)
      check(terminal.lines)
    }
  }

  @Test("a chat prints each finished block above the draft, and keeps the draft")
  func chats() {
    inSlowWorld { world, server in
      let talk = try await ChatTerminal(in: world)
      try await talk.say("markdown", see: "is ready, except")
      try await talk.type("my draft", see: "› my draft")
      for (mark, columns) in zip(Self.marks.dropFirst(5), [50, 90, 60, 80, 45, 100]) {
        try await talk.see(mark)
        talk.terminal.resize(columns: columns, rows: 24)
        try await talk.see("› my draft")
      }
      try await talk.see("✓ Finished")
      #expect(talk.lines.contains { $0.hasPrefix("▌ markdown") }, "\(text(talk.lines))")
      talk.type(ChatTerminal.interrupt)
      try await talk.leave()
      #expect(server.heard == ["markdown"])
      check(talk.lines, mayRepeat: true)
      let end = talk.lines.suffix(2)
      #expect(end.first?.hasPrefix("✓ Finished") == true, "\(end)")
      #expect(end.last?.hasPrefix("resume with: oppi chat -s ") == true, "\(end)")
    }
  }

  @Test("the resume line continues the session, and a deleted session has none")
  func resumes() {
    inWorld { world, server in
      let unused = try await ChatTerminal(in: world)
      try await unused.leave()
      #expect(!unused.shows("resume with"), "\(unused.lines)")
      let talk = try await ChatTerminal(in: world)
      try await talk.say("hello", see: "The command printed: hi")
      try await talk.leave()
      let line = try #require(talk.lines.last { $0.hasPrefix("resume with: oppi ") })
      let words = line.split(separator: " ").dropFirst(4).map(String.init)
      let next = world.start(["chat"] + words)
      try await next.see("Enter: send")
      try await next.type("two tools\r", see: "Both are done.")
      #expect(Set(server.runs.map(\.sessionID)).count == 1 && server.runs.count == 2)
      next.type(ChatTerminal.end)
      #expect(try await next.end().status == 0)
    }
  }

  @Test("pasted lines are a placeholder on the terminal, and the agent gets the text")
  func pastes() {
    inWorld { world, server in
      let talk = try await ChatTerminal(in: world)
      talk.type("see \u{1B}[200~one\ntwo\nthree\u{1B}[201~")
      try await talk.see("› see [pasted: 3 lines]")
      try await talk.type("\u{0F}", see: "  three")
      try await talk.type(ChatTerminal.enter, see: "The command printed: hi")
      try await talk.leave()
      #expect(server.heard == ["see one\ntwo\nthree"])
    }
  }
}
