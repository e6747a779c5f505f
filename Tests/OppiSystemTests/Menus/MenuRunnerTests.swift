// SPDX-License-Identifier: MIT

import EventLoop
import Synchronization
import TestSupport
import Testing

@testable import OppiSystem

/// How the outcome of a menu program is understood.
@Suite struct MenuRunnerTests {
  /// Programs that all have one outcome after a time, and record how they were started.
  private final class Programs: ProgramAccess {
    private let kernel: ManualKernel
    private let outcome: ChildProcess.Outcome
    private let elapsed: Duration
    private let started = Mutex<[ChildProcess]>([])

    init(_ kernel: ManualKernel, _ outcome: ChildProcess.Outcome, after elapsed: Duration) {
      (self.kernel, self.outcome, self.elapsed) = (kernel, outcome, elapsed)
    }

    var runs: [ChildProcess] { started.withLock { $0 } }

    func has(_ name: String) -> Bool { true }

    func has(_ name: String, path: String) -> Bool { true }

    func run(
      _ program: ChildProcess,
      on loop: EventLoop,
      until deadline: EventLoop.Instant
    ) -> ChildProcess.Outcome {
      started.withLock { $0.append(program) }
      kernel.advance(by: elapsed)
      return outcome
    }

    func startDetached(_ arguments: [String]) {}
  }

  private enum Purpose: Sendable {
    case choice
    case decision
    case text
  }

  private static let environment = [
    "DISPLAY": ":0", "BEMENU_OPTS": "-b", "FZF_DEFAULT_OPTS": "--tac",
    "FZF_DEFAULT_OPTS_FILE": "/f", "HOME": "/h",
  ]

  private static func runner(
    _ picker: String,
    on screen: MenuRunner.Screen = .init(isTerminal: true, width: 80, height: 24),
    by programs: Programs,
    _ loop: EventLoop
  ) throws(MenuError) -> MenuRunner {
    try MenuRunner(
      [picker, "-own"],
      on: screen,
      environment: environment,
      programs: programs,
      loop: loop,
      timeout: nil,
      ownPath: { "oppi" }
    )
  }

  /// What the outcome of a program means, and how it was started.
  private static func meaning(
    of outcome: ChildProcess.Outcome,
    after elapsed: Duration = .seconds(1),
    by picker: String,
    for purpose: Purpose = .choice
  ) throws -> (answer: Result<String, MenuError>, program: ChildProcess) {
    let kernel = ManualKernel()
    let loop = EventLoop(on: kernel)
    let programs = Programs(kernel, outcome, after: elapsed)
    let runner = try runner(picker, by: programs, loop)
    let menu = Menu("oppi", [Menu.Row("one"), Menu.Row("two")])
    let answer = loop.run { () -> Result<String, MenuError> in
      do throws(MenuError) {
        switch purpose {
        case .choice: return .success("\(try await runner.choose(from: menu))")
        case .decision: return .success("\(try await runner.decide(on: menu))")
        case .text: return .success(try await runner.text("Name"))
        }
      } catch {
        return .failure(error)
      }
    }
    return (answer, try #require(programs.runs.first))
  }

  private static func printing(_ text: String, status: Int32 = 0) -> ChildProcess.Outcome {
    ChildProcess.Outcome(output: Array(text.utf8), status: status)
  }

  @Test("only a program that succeeds has chosen a row")
  func status() throws {
    func choice(_ text: String, _ status: Int32) throws -> Result<String, MenuError> {
      try Self.meaning(of: Self.printing(text, status: status), by: "rofi").answer
    }
    #expect(try choice("1\n", 0) == .success("1"))
    for status in [1, 2, 130] as [Int32] { #expect(try choice("1\n", status) == .failure(.left)) }
    for status in [3, 127, 137] as [Int32] {
      let notShown = MenuError.notShown(program: "rofi", reason: nil, status: status)
      #expect(try choice("1\n", status) == .failure(notShown))
    }
    for text in ["", "\n", "  \n"] { #expect(try choice(text, 0) == .failure(.left)) }
    #expect(try choice("2\n", 0) == .failure(.notARow(program: "rofi")))
  }

  @Test("a program that ends sooner than a person can was not left")
  func tooSoon() throws {
    for (milliseconds, isLeft) in [(0, false), (99, false), (100, true)] {
      let answer = try Self.meaning(
        of: Self.printing("", status: 1),
        after: .milliseconds(milliseconds),
        by: "rofi"
      ).answer
      let notShown = MenuError.notShown(program: "rofi", reason: nil, status: 1)
      #expect(answer == .failure(isLeft ? .left : notShown))
    }
  }

  @Test("an output that is not text is no answer")
  func notText() throws {
    for bytes in [[0x31, 0, 0x0A], [0xFF, 0x0A]] as [[UInt8]] {
      let outcome = ChildProcess.Outcome(output: bytes, status: 0)
      #expect(
        try Self.meaning(of: outcome, by: "rofi").answer == .failure(.notText(program: "rofi"))
      )
    }
  }

  @Test("a text that matches no row is typed with fzf, although its status is 1")
  func typed() throws {
    let outcome = Self.printing("fix it\n", status: 1)
    #expect(try Self.meaning(of: outcome, by: "fzf", for: .text).answer == .success("fix it"))
    #expect(try Self.meaning(of: outcome, by: "rofi", for: .text).answer == .failure(.left))
    #expect(try Self.meaning(of: outcome, by: "fzf").answer == .failure(.left))
    let left = Self.printing("fix it\n", status: 130)
    #expect(try Self.meaning(of: left, by: "fzf", for: .text).answer == .failure(.left))
  }

  @Test(
    "a decision is made without the user's own options, also those of the environment",
    arguments: [
      ("fzf", ["BEMENU_OPTS", "DISPLAY", "HOME"], "1\n"),
      ("bemenu", ["DISPLAY", "FZF_DEFAULT_OPTS", "FZF_DEFAULT_OPTS_FILE", "HOME"], "two\n"),
      ("rofi", nil, "1\n"), ("dmenu", nil, "two\n"),
    ] as [(String, [String]?, String)]
  )
  func decisions(picker: String, variables: [String]?, answer: String) throws {
    let outcome = Self.printing(answer)
    let decision = try Self.meaning(of: outcome, by: picker, for: .decision)
    #expect(decision.answer == .success("1"))
    #expect(!decision.program.arguments.contains("-own"))
    #expect(decision.program.environment?.keys.sorted() == variables)
    let choice = try Self.meaning(of: outcome, by: picker)
    #expect(choice.program.arguments.last == "-own" && choice.program.environment == nil)
  }

  @Test("what is visible of a menu is known only of programs whose size is")
  func sight() throws {
    let kernel = ManualKernel()
    let loop = EventLoop(on: kernel)
    let programs = Programs(kernel, Self.printing(""), after: .zero)
    func sight(_ picker: String, _ width: Int?, _ height: Int?) throws -> MenuSight? {
      let screen = MenuRunner.Screen(isTerminal: true, width: width, height: height)
      return try Self.runner(picker, on: screen, by: programs, loop).sight
    }
    #expect(try sight("fzf", 80, 24) == MenuSight(columns: 56, rows: 15))
    #expect(try sight("fzf", 60, 18) == MenuSight(columns: 56, rows: 15))
    #expect(try sight("fzf", 59, 17) == MenuSight(columns: 55, rows: 14))
    #expect(try sight("fzf", nil, 24) == nil && sight("fzf", 80, nil) == nil)
    #expect(try sight("rofi", 20, 5) == MenuSight(columns: 56, rows: 15))
    #expect(try sight("wofi", 80, 24) == nil && sight("mine", 80, 24) == nil)
  }
}
