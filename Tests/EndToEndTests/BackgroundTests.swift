// SPDX-License-Identifier: MIT

import FakeServer
import Foundation
import TestSupport
import Testing

/// Terminals that answer the question for their background at once, late or never.
@Suite(.fewAtOnce) struct BackgroundTests {
  private static let (black, white) = ("0000/0000/0000", "ffff/ffff/ffff")
  /// The colour of additional information, in both themes.
  private static let (dark, light) = ("38;2;139;149;167", "38;2;89;99;110")

  private func console(
    in home: Home,
    _ answers: ProgramOnTerminal.Answers,
    environment: [String: String] = [:]
  ) throws -> ProgramOnTerminal {
    let words = ["sh", "-c", "\(Executable.oppi) console; sleep 0.4; echo over"]
    let variables = ["COLORTERM": "truecolor"].merging(environment) { $1 }
    return try ProgramOnTerminal(words, in: home, environment: variables, answers: answers)
  }

  private func leave(_ terminal: ProgramOnTerminal) async throws {
    try await terminal.type("q", see: "over")
    #expect(try await terminal.status() == 0)
    #expect(terminal.isRestored, "\(terminal.lines)")
    // What the program had left, the terminal would have echoed.
    #expect(!terminal.lines.contains { $0.contains("rgb") || $0.contains("62;22") })
  }

  @Test(
    "the first frame has the theme of the background",
    arguments: [
      (black, dark, light), (white, light, dark), ("fdf6/f6f6/e3e3", light, dark),
      ("1e/1e/2e", dark, light),
    ]
  )
  func atOnce(background: String, style: String, other: String) async throws {
    let (home, server) = try await Home.paired()
    defer { withExtendedLifetime(server) {} }
    _ = try await home.session(asking: "deploy")
    let terminal = try console(in: home, .atOnce(background: background))
    try await terminal.see("bash: git push origin main")
    #expect(terminal.isDrawn(in: style) && !terminal.isDrawn(in: other), "\(terminal.styles)")
    try await leave(terminal)
  }

  @Test("an answer that comes late changes the theme, and is not taken for keys")
  func late() async throws {
    let (home, server) = try await Home.paired()
    defer { withExtendedLifetime(server) {} }
    _ = try await home.session(asking: "deploy")
    let terminal = try console(in: home, .late(background: Self.white, .milliseconds(1500)))
    try await terminal.see("bash: git push origin main")
    #expect(!terminal.isDrawn(in: Self.light))
    for _ in 0..<600 where !terminal.isDrawn(in: Self.light) {
      try await Task.sleep(for: .milliseconds(100))
    }
    #expect(terminal.isDrawn(in: Self.light))
    try await terminal.see("bash: git push origin main")
    try await leave(terminal)
  }

  @Test(
    "a terminal without an answer has the standard theme",
    arguments: [ProgramOnTerminal.Answers.never, .atOnce(background: nil)]
  )
  func silent(answers: ProgramOnTerminal.Answers) async throws {
    let (home, server) = try await Home.paired()
    defer { withExtendedLifetime(server) {} }
    _ = try await home.session(asking: "deploy")
    let terminal = try console(in: home, answers)
    try await terminal.see("bash: git push origin main")
    #expect(!terminal.isDrawn(in: Self.dark) && !terminal.isDrawn(in: Self.light))
    #expect(terminal.styles.contains("2"))
    try await leave(terminal)
  }

  @Test("an answer that comes as the program ends is not left to the shell")
  func end() async throws {
    let (home, server) = try await Home.paired()
    defer { withExtendedLifetime(server) {} }
    let terminal = try console(in: home, .late(background: Self.white, .milliseconds(60)))
    try await leave(terminal)
  }

  @Test(
    "a terminal is not asked if its background does not matter",
    arguments: [["NO_COLOR": "1"], ["TERM": "linux"], ["THEME": "dark"]]
  )
  func unasked(environment: [String: String]) async throws {
    let (home, server) = try await Home.paired()
    defer { withExtendedLifetime(server) {} }
    if let theme = environment["THEME"] {
      try await home.oppi("config", "set", "theme", theme, exits: 0)
    }
    let terminal = try console(in: home, .never, environment: environment)
    try await terminal.see("Nothing waits for you, and nothing runs.")
    #expect(!terminal.isAsked)
    try await leave(terminal)
  }
}

extension ProgramOnTerminal {
  /// Whether a program has used a colour.
  fileprivate func isDrawn(in style: String) -> Bool { styles.contains { $0.contains(style) } }
}
