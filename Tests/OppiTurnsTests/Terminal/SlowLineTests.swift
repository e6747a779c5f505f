// SPDX-License-Identifier: MIT

import EventLoop
import OppiClient
import OppiSystem
import OppiTerminal
import OppiText
import Simulation
import Synchronization
import TestSupport
import Testing

@testable import OppiTestSupport
@testable import OppiTurns

/// What the user of a slow line sees, and when the program counts it as seen.
@Suite struct SlowLineTests {
  /// Shows what it has received, and notes what it showed when it was told that the user sees it.
  private struct Ledger: Screen {
    private(set) var news: [String] = []
    private(set) var keys = ""
    private(set) var size = ScreenSize(columns: 1, rows: 1)
    /// How often it was told, and what it showed the last time.
    private(set) var shownCount = 0
    private(set) var shown: [String] = []

    mutating func update(_ event: ScreenEvent<String>, at now: Duration) -> [ScreenEffect<Never>] {
      switch event {
      case .resized(let size): self.size = size
      case .shown: (shownCount, shown) = (shownCount + 1, lines)
      case .news(let line): news.append(line)
      case .key(.text(let text), at: _): keys += text
      case .key(.escape, at: _): keys += "<Esc>"
      default: break
      }
      return []
    }

    /// The number of keys in the middle, the news around it.
    var lines: [String] {
      let middle = size.rows / 2
      return (0..<size.rows).map { row in
        if row == middle { return "> \(keys.count)" }
        return String(news.reversed().dropFirst(row).first ?? "-")
      }
    }

    func view(at moment: Timestamp, frame: Int) -> ScreenView {
      let picture = Canvas(lines.map { StyledText($0) }, width: size.columns)
      return ScreenView(picture, cursor: .focus(row: size.rows / 2))
    }
  }

  /// A terminal at the end of a line that holds back what is written.
  private final class Far: TerminalAccess, KeyTerminal {
    private struct State {
      var screen = TerminalEmulator(width: 60, height: 20)
      var line: [UInt8] = []
    }

    private let state = Mutex(State())
    private let near: VirtualTerminal

    init(near: VirtualTerminal) { self.near = near }

    var lines: [String] { state.withLock { $0.screen.lines } }

    /// Passes some bytes on, and returns the answers of the terminal.
    func pass(_ count: Int) -> [UInt8] {
      state.withLock { state in
        let end = state.line.prefix(count).lastIndex(of: 0x1B) ?? 0
        // A sequence is passed as a whole.
        let isWhole = state.line.count <= count || end == 0
        let bytes = state.line.prefix(isWhole ? count : end)
        state.line.removeFirst(bytes.count)
        state.screen.feed(Array(bytes))
        return Array(state.screen.answers(background: nil).utf8)
      }
    }

    func size() -> (columns: Int, rows: Int) { (60, 20) }
    func write(_ bytes: [UInt8]) { state.withLock { $0.line += bytes } }
    func restore(after lastFrame: [UInt8]) {}
    func read(until deadline: EventLoop.Instant?) async -> [UInt8]? { nil }
    func suspend() -> Bool { true }
    func dropInput(for limit: Duration, until isEnd: ([UInt8]) -> Bool) {}
    func set(_ mode: TerminalMode, isOn: Bool) {}
    func whileRestored<Result, Failure>(
      _ body: () async throws(Failure) -> Result
    ) async throws(Failure) -> Result { try await body() }

    func events(on loop: EventLoop) -> any TerminalEventSource { near.events(on: loop) }
    func keys(modes: [TerminalMode], on loop: EventLoop) -> any KeyTerminal { self }
    func lines(on loop: EventLoop) -> any PrintingTerminal { near.lines(on: loop) }
    func picture(on stream: StandardStream, on loop: EventLoop) -> any PictureTerminal {
      near.picture(on: stream, on: loop)
    }
  }

  private typealias Body =
    @Sendable (World, Far, inout TerminalProgram<Ledger>) async throws -> Void

  private func withLedger(_ body: @escaping Body) {
    inWorld { world, _ in
      let near = world.start(["--version"])
      try await near.end(exits: 0)
      let base = world.program(on: near, environment: ["NO_COLOR": "1"]).context
      let far = Far(near: near)
      let context = Context(
        output: base.output,
        options: base.options,
        environment: [:],
        paths: base.paths,
        network: base.network,
        terminal: far
      )
      var program = try TerminalProgram(Ledger(), on: FullFrame(), in: context)
      try await body(world, far, &program)
    }
  }

  private static let answer = Array("\u{1B}[0n".utf8)

  @Test("news wait until the terminal has answered, keys do not")
  func order() {
    withLedger { world, far, program in
      _ = try await program.handle(.news("one"))
      #expect(program.screen.news == ["one"] && program.screen.shownCount == 0)
      _ = try await program.handle(.news("two"))
      _ = try await program.handle(.bytes(Array("a".utf8), at: world.loop.now))
      #expect(program.screen.news == ["one"] && program.screen.keys == "a")
      // The answer to the first picture, which is not the present one.
      _ = try await program.handle(.bytes(Self.answer, at: world.loop.now))
      #expect(program.screen.news == ["one"] && program.screen.shownCount == 0)
      _ = try await program.handle(.bytes(Self.answer, at: world.loop.now))
      #expect(program.screen.news == ["one", "two"] && program.screen.shownCount == 1)
    }
  }

  @Test("a silent terminal counts as showing everything, after half a second")
  func silent() {
    withLedger { world, far, program in
      _ = try await program.handle(.news("one"))
      try await world.pass(.milliseconds(499))
      _ = try await program.handle(.news("two"))
      #expect(program.screen.news == ["one"] && program.screen.shownCount == 0)
      try await world.pass(.milliseconds(1))
      _ = try await program.handle(.tick)
      #expect(program.screen.news == ["one", "two"] && program.screen.shownCount == 2)
    }
  }

  @Test("without answers for five seconds the program goes on, and counts nothing as shown")
  func late() {
    withLedger { world, far, program in
      _ = try await program.handle(.news("one"))
      _ = try await program.handle(.bytes(Self.answer, at: world.loop.now))
      #expect(program.screen.shownCount == 1)
      for (number, line) in ["two", "three", "four"].enumerated() {
        try await world.pass(.seconds(5))
        _ = try await program.handle(.news(line))
        #expect(program.screen.news.count == number + 2 && program.screen.shownCount == 1)
      }
    }
  }

  @Test("while an answer is awaited, its begin is not the Escape key, and Escape is not lost")
  func escape() {
    for (parts, keys) in [
      ([[0x1B], Array("[0n".utf8)], ""), ([[0x1B, 0x5B], Array("0n".utf8)], ""),
      ([Array("\u{1B}[0".utf8), Array("n".utf8)], ""), ([[0x1B], Self.answer], "<Esc>"),
      ([[0x1B], Array("b".utf8) + Self.answer], "<Esc>b"),
    ] as [([[UInt8]], String)] {
      withLedger { world, far, program in
        _ = try await program.handle(.news("one"))
        for part in parts {
          _ = try await program.handle(.bytes(part, at: world.loop.now))
          _ = try await program.handle(.pause)
        }
        #expect(program.screen.keys == keys && program.screen.shownCount == (keys == "" ? 1 : 0))
        _ = try await program.handle(.bytes([0x1B], at: world.loop.now))
        try await world.pass(.seconds(5))
        _ = try await program.handle(.pause)
        #expect(program.screen.keys == keys + "<Esc>")
      }
    }
  }

  @Test(
    "the user sees what counts as shown, and a key soon, whatever comes over a slow line",
    arguments: 1...UInt64(10),
    [false, true]
  )
  func property(seed: UInt64, losesAnswers: Bool) {
    withLedger { world, far, program in
      var random = SeededGenerator(seed: seed)
      let step = Duration.milliseconds(10)
      let rate = Int.random(in: 1000...4000, using: &random)
      var pressed: (count: Int, at: Duration)?
      var (answers, slowest) = ([Duration](), Duration.zero)
      var time = Duration.zero
      while time < .seconds(30) {
        try await world.pass(step)
        time += step
        let shownCount = program.screen.shownCount
        let answer = far.pass(rate / 100)
        let mayLose = losesAnswers && time > .seconds(1) && time < .seconds(15)
        let isLost = mayLose && Int.random(in: 0..<50, using: &random) == 0
        if !answer.isEmpty, !isLost {
          _ = try await program.handle(.bytes(answer, at: world.loop.now))
        }
        if Bool.random(using: &random), time < .seconds(20) {
          let line = String(
            repeating: Character("\(Int.random(in: 0...9, using: &random))"),
            count: 50
          )
          _ = try await program.handle(.news(line))
        } else {
          _ = try await program.handle(.tick)
        }
        if program.screen.shownCount > shownCount {
          answers.append(time)
          let isSeen = far.lines == program.screen.shown
          #expect(isSeen, "\(time)")
        }
        if let key = pressed, far.lines.contains("> \(key.count)") {
          slowest = max(slowest, time - key.at)
          pressed = nil
        }
        let isTyping = time > .seconds(5) && time < .seconds(20)
        if pressed == nil, isTyping, Int.random(in: 0..<50, using: &random) == 0 {
          _ = try await program.handle(.bytes(Array("k".utf8), at: world.loop.now))
          pressed = (program.screen.keys.count, time)
        }
      }
      // It is still told from time to time, and of the end.
      #expect(answers.count >= (losesAnswers ? 2 : 10) && far.lines == program.screen.lines)
      #expect(losesAnswers || slowest < .milliseconds(800), "\(slowest) at \(rate) bytes a second")
    }
  }
}
