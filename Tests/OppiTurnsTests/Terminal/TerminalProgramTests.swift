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
