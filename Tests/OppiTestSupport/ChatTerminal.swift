// SPDX-License-Identifier: MIT

import Simulation
import Testing

/// A chat on its own terminal, with a simulated user.
struct ChatTerminal {
  static let enter = "\r"
  static let escape = "\u{1B}"
  static let down = "\u{1B}[B"
  static let up = "\u{1B}[A"
  static let tab = "\t"
  static let interrupt = "\u{03}"
  static let end = "\u{04}"
  static let clearLine = "\u{15}"

  let terminal: VirtualTerminal
  private let world: World

  /// Starts a chat in a new session, and waits until it accepts keys.
  init(in world: World, _ words: String..., terminalName: String = "xterm") async throws {
    let place = words.contains { ["-s", "-w"].contains($0) } ? [] : ["-w", "demo"]
    self.world = world
    terminal = world.start(["chat"] + place + words, environment: ["TERM": terminalName])
    try await terminal.see("Session ")
    if terminalName != "dumb" { try await terminal.see("Enter: send") }
  }

  func say(_ text: String) { terminal.type(text + Self.enter) }

  /// Types a line as an answer to a request that was read.
  func answer(_ text: String) async throws {
    try await world.pass(.seconds(2))
    say(text)
  }

  func type(_ text: String) { terminal.type(text) }

  func type(_ text: String, see sign: String) async throws {
    try await terminal.type(text, see: sign)
  }

  func say(_ text: String, see sign: String) async throws {
    try await terminal.type(text + Self.enter, see: sign)
  }

  /// Waits until at least `count` lines contain a text.
  func see(_ text: String, count: Int) async throws {
    try await terminal.wait(for: "\(count) times \(text)") { lines in
      lines.count { $0.contains(text) } >= count
    }
  }

  func see(_ text: String) async throws { try await terminal.see(text) }

  func seeNo(_ text: String) async throws { try await terminal.seeNo(text) }

  var lines: [String] { terminal.lines }

  func shows(_ text: String) -> Bool { lines.contains { $0.contains(text) } }

  /// Waits until the panel accepts keys, which is one second after the last key.
  func rest() async throws {
    try await terminal.wait(for: "a panel that takes keys") { lines in
      lines.contains { $0.hasPrefix("Esc: back") }
        && !lines.contains { $0.contains("pause for 1 s to") || $0.contains("ready in 1 s") }
    }
  }

  /// Selects by a letter and confirms.
  func choose(_ letter: String) async throws {
    try await rest()
    type(letter)
    try await see("▸\(letter) ")
    // Enter does nothing until the selection has been visible for a moment.
    try await world.pass(.seconds(1))
    type(Self.enter)
  }

  /// Leaves an idle chat, and checks that the terminal is restored.
  func leave(status: Int32 = 0) async throws {
    try await see("Enter: send")
    type(Self.end)
    try await end(status: status)
  }

  /// Waits for the end, and checks that the terminal is restored.
  @discardableResult
  func end(status: Int32 = 0) async throws -> Program.Outcome {
    let outcome = try await terminal.end()
    #expect(outcome.status == status, "\(outcome)")
    #expect(terminal.isRestored, "\(lines)")
    return outcome
  }
}
