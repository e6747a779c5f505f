// SPDX-License-Identifier: MIT

import EventLoop
import OppiTerminal
import OppiText
import Simulation
import Testing

@testable import OppiTestSupport
@testable import OppiTurns

/// What is typed while the editor has the terminal.
@Suite struct TerminalProgramTests {
  /// Records the times of its keys; Ctrl-G opens the editor.
  private struct KeyTimes: Screen {
    private(set) var times: [Duration] = []

    mutating func update(
      _ event: ScreenEvent<Never>,
      at now: Duration
    ) -> [ScreenEffect<Never>] {
      guard case .key(let key, at: let pressed) = event else { return [] }
      guard key != .control("g") else { return [.edit("")] }
      times.append(pressed)
      return []
    }

    func view(at moment: Timestamp, frame: Int) -> ScreenView {
      ScreenView(Canvas(["view"], width: 80))
    }
  }

  /// Writes its keys and clicks.
  private struct Transcript: Screen {
    private(set) var text = ""

    mutating func update(
      _ event: ScreenEvent<Never>,
      at now: Duration
    ) -> [ScreenEffect<Never>] {
      switch event {
      case .key(.text(let typed), at: _): text += typed
      case .mouse(let event, at: _): text += event.isDouble ? "<double>" : "<click>"
      default: break
      }
      return []
    }

    func view(at moment: Timestamp, frame: Int) -> ScreenView {
      ScreenView(Canvas([StyledText("typed: \(text)", .accent)], width: 80))
    }
  }

  /// Runs a test of a program, whose terminal has not been asked yet.
  private func withTranscript(
    _ environment: [String: String] = [:],
    _ body:
      @escaping @Sendable (World, VirtualTerminal, inout TerminalProgram<Transcript>) async throws
      -> Void
  ) {
    inWorld { world, _ in
      let terminal = world.start(["--version"])
      try await terminal.end(exits: 0)
      let context = world.program(on: terminal, environment: environment).context
      var program = try TerminalProgram(Transcript(), in: context)
      defer { program.restore() }
      try await body(world, terminal, &program)
    }
  }

  private static let white = Array("\u{1B}]11;rgb:f/f/f\u{07}".utf8)

  @Test("the first frame waits 100 ms for the background, and keys typed meanwhile are kept")
  func firstFrame() {
    withTranscript { world, terminal, program in
      _ = try await program.handle(.bytes(Array("ab".utf8), at: world.loop.now))
      #expect(terminal.lines.isEmpty)
      try await world.pass(.milliseconds(100))
      _ = try await program.handle(.tick)
      #expect(terminal.lines == ["typed: ab"])
    }
  }

  @Test("the first frame is drawn as soon as one part of the answer is there")
  func answered() {
    for answer in [Self.white, Array("\u{1B}[?6c".utf8)] {
      withTranscript { world, terminal, program in
        let bytes = Array("a".utf8) + answer + Array("b".utf8)
        _ = try await program.handle(.bytes(bytes, at: world.loop.now))
        #expect(terminal.lines == ["typed: ab"])
      }
    }
  }

  @Test("a late answer draws everything again in its theme, however it is cut after its start")
  func lateAnswer() {
    for index in 3..<Self.white.count {
      withTranscript { world, terminal, program in
        try await world.pass(.seconds(1))
        _ = try await program.handle(.bytes(Array("a".utf8), at: world.loop.now))
        #expect(terminal.styles.contains("1"), "\(terminal.styles)")
        _ = try await program.handle(.bytes(Array(Self.white[..<index]), at: world.loop.now))
        _ = try await program.handle(.pause)
        let rest = Self.white[index...] + Array("b".utf8)
        _ = try await program.handle(.bytes(Array(rest), at: world.loop.now))
        #expect(terminal.lines == ["typed: ab"])
        #expect(terminal.styles.contains("34"), "\(terminal.styles)")
      }
    }
  }

  @Test("an answer that was not asked for changes nothing")
  func unasked() {
    withTranscript(["NO_COLOR": "1"]) { world, terminal, program in
      _ = try await program.handle(.bytes(Self.white + Array("a".utf8), at: world.loop.now))
      #expect(terminal.lines == ["typed: a"] && terminal.styles.isEmpty)
    }
  }

  @Test("an answer that has not been read at the end is dropped, and one is not expected for ever")
  func dropped() {
    for isLate in [false, true] {
      withTranscript { world, terminal, program in
        terminal.type("\u{1B}[?6c")
        if isLate { try await world.pass(.seconds(5)) }
        program.restore()
        #expect(terminal.unread.isEmpty != isLate)
      }
    }
  }

  @Test("two presses in one cell are a double click by the times at which they were read")
  func doubleClick() {
    withTranscript { world, _, program in
      let begin = world.loop.now
      let press = Array("\u{1B}[<0;5;5M".utf8)
      for moment in [0, 500, 800] {
        _ = try await program.handle(.bytes(press, at: begin + .milliseconds(moment)))
      }
      #expect(program.screen.text == "<click><click><double>")
    }
  }

  /// Runs a test of a program that has opened the editor.
  private func inEditor(
    _ body: @escaping @Sendable (World, inout TerminalProgram<KeyTimes>) async throws -> Void
  ) {
    inWorld { world, _ in
      let terminal = world.start(["--version"])
      try await terminal.end(exits: 0)
      var program = try TerminalProgram(KeyTimes(), in: world.program(on: terminal).context)
      defer { program.restore() }
      _ = try await program.handle(.bytes([0x07], at: world.loop.now))
      try await body(world, &program)
    }
  }

  @Test("a key that is typed as the editor opens keeps the time at which it was pressed")
  func times() {
    inEditor { world, program in
      let begin = world.loop.now
      _ = try await program.handle(.bytes(Array("a".utf8), at: begin + .seconds(1)))
      _ = try await program.handle(.bytes(Array("b".utf8), at: begin + .seconds(2)))
      #expect(program.screen.times.isEmpty)
      try await world.pass(.seconds(9))
      _ = try await program.handle(.edited("", failure: nil))
      #expect(program.screen.times == [.seconds(1), .seconds(2)])
    }
  }

  @Test("the end of the input ends the program when the editor exits, and no earlier")
  func inputEnd() {
    inEditor { _, program in
      let during = try await program.handle(.inputEnded)
      let after = try await program.handle(.edited("", failure: nil))
      #expect(!during.isOver && after.isOver)
    }
  }
}
