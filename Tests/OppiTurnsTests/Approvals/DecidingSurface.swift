// SPDX-License-Identifier: MIT

import FakeServer
import OppiSystem
import OppiText
import Simulation
import Testing

@testable import OppiTestSupport

/// Where a user replies to a request.
enum DecidingSurface: String, CaseIterable, Sendable {
  case chat
  case console
  case accessibleChat
  case accessibleConsole
  /// The chat inside the accessible console.
  case accessibleConsoleChat
  case batch
  case menu
  case notification
  case command

  /// Those that show a request before they take a reply to it.
  static let showing = allCases.filter { $0 != .command }
  /// Those that know requests by the server's list alone.
  static let listing: [Self] = [
    .console, .accessibleConsole, .batch, .menu, .notification, .command,
  ]
}

/// A user who replies to the only pending request of a world on one surface, at the pace of a reader.
struct DecidingPerson {
  /// The server's kind of request.
  enum Kind: CaseIterable, Sendable {
    case permission
    case dialog

    /// Makes the agent ask.
    var prompt: String { self == .permission ? "deploy" : "ask confirm" }
    /// The text of the request.
    var text: String { self == .permission ? "git push origin main" : "Proceed?" }
  }

  let world: World
  let kind: Kind
  let session: String
  let id: String
  /// A part of the request's text.
  var text: String
  /// Whether the reply lets the agent continue.
  var agrees = true
  /// The server of the request, if several servers have such a request; rows name it.
  var server: String?

  /// Makes an agent ask.
  init(in world: World, _ kind: Kind) async throws {
    let (session, id) = try await world.waiting(asking: kind.prompt)
    self.init(in: world, kind, session: session, id: id)
  }

  init(in world: World, _ kind: Kind, session: String, id: String) {
    (self.world, self.kind, self.session, self.id) = (world, kind, session, id)
    text = kind.text
  }

  /// Lists a request with another text under the id.
  func replaced(by text: String) -> @Sendable (Step) -> Intervention {
    switch kind {
    case .permission:
      let call = JSONValue.call(id, in: session, text)
      return { $0.isRequest("/pending") ? .pending([call]) : .proceed }
    case .dialog:
      let dialog: JSONValue = ["id": .string(id), "method": "confirm", "title": .string(text)]
      return { $0.isRequest("/dialogs") ? .dialogs([dialog]) : .proceed }
    }
  }

  private var sessionName: String { (server.map { "\($0)/" } ?? "") + session }

  /// Replies, and leaves the surface; `change` runs when all but the last key was pressed.
  ///
  /// - Returns: The text of the surface.
  @discardableResult
  func reply(
    on surface: DecidingSurface,
    after change: @escaping @Sendable () -> Void = {}
  ) async throws -> String {
    switch surface {
    case .chat: try await replyInPanel(["chat", "-s", sessionName], change)
    case .console: try await replyInPanel(["console"], opening: true, change)
    case .batch: try await replyInBatch(change)
    case .accessibleChat:
      try await replyInLines(["chat", "--accessible", "-s", sessionName], change)
    case .accessibleConsole:
      try await replyInLines(["console", "--accessible"], opening: "2", change)
    case .accessibleConsoleChat:
      try await replyInLines(["console", "--accessible"], opening: "4", change)
    case .menu: try await replyInMenu(change)
    case .notification: try await replyInNotification(change)
    case .command: try await replyByCommand(change)
    }
  }

  // MARK: - Terminals

  private var letter: String {
    switch (kind, agrees) {
    case (.permission, true): "a"
    case (.permission, false): "d"
    case (.dialog, true): "y"
    case (.dialog, false): "n"
    }
  }

  private var number: String { agrees ? "1" : kind == .permission ? "3" : "2" }

  private func start(_ words: [String]) async throws -> VirtualTerminal {
    let terminal = world.start(words, columns: 120, rows: 200)
    try await terminal.see(text)
    return terminal
  }

  /// Opens the row of the request.
  private func open(on terminal: VirtualTerminal) async throws {
    let place = server ?? ""
    for key in ["g", "j"] {
      terminal.type(key)
      try await world.pass(.seconds(1))
      let lines = terminal.lines
      let row = try #require(lines.firstIndex { $0.contains("▸") })
      // The list takes the left half.
      if place.isEmpty || lines[row].prefix(60).contains(place) { break }
    }
    terminal.type("\r")
  }

  /// Selects the reply of the open request.
  private func select(on terminal: VirtualTerminal) async throws {
    try await world.pass(.seconds(2))
    try await terminal.type(letter, see: "▸")
    try await world.pass(.seconds(1))
  }

  private func leave(_ terminal: VirtualTerminal) async throws -> String {
    try await world.pass()
    let text = terminal.lines.joined(separator: "\n")
    terminal.close()
    _ = try await terminal.end()
    return text
  }

  private func replyInPanel(
    _ words: [String],
    opening opens: Bool = false,
    _ change: @Sendable () -> Void
  ) async throws -> String {
    let terminal = try await start(words)
    if opens { try await open(on: terminal) }
    try await select(on: terminal)
    change()
    terminal.type("\r")
    return try await leave(terminal)
  }

  private func replyInBatch(_ change: @Sendable () -> Void) async throws -> String {
    let terminal = try await start(["approvals", "--decide"])
    try await open(on: terminal)
    try await select(on: terminal)
    try await terminal.type("\r", see: "marked: ")
    try await ApprovalsDecideTests.confirm(terminal, in: world)
    change()
    terminal.type("\r")
    return try await leave(terminal)
  }

  /// `section` is the number of the menu's section with the request or its session.
  private func replyInLines(
    _ words: [String],
    opening section: String? = nil,
    _ change: @Sendable () -> Void
  ) async throws -> String {
    let terminal = world.start(words, columns: 200, rows: 200)
    if let section {
      try await terminal.see("main menu")
      try await type(section, on: terminal)
      try await terminal.see(section == "4" ? "which session?" : "in the list")
      let row = try #require(
        terminal.lines.last { line in
          let isOwn = line.contains(section == "4" ? kind.prompt : text)
          return line.first?.isNumber == true && isOwn && server.map(line.contains) != false
        }
      )
      try await type(String(row.prefix { $0.isNumber }), on: terminal)
    }
    try await terminal.see("repeat")
    try await world.pass(.seconds(2))
    change()
    terminal.type(number + "\r")
    return try await leave(terminal)
  }

  private func type(_ line: String, on terminal: VirtualTerminal) async throws {
    try await world.pass(.seconds(2))
    terminal.type(line + "\r")
  }

  // MARK: - Other programs

  private func replyInMenu(_ change: @escaping @Sendable () -> Void) async throws -> String {
    let words =
      switch (kind, agrees) {
      case (.permission, true): ["Approve once", "Yes"]
      case (.permission, false): ["Deny"]
      case (.dialog, true): ["Answer: Yes", "Yes"]
      case (.dialog, false): ["No"]
      }
    let row = ("! ", server ?? "")
    let person = MenuUser(in: world, row, words, beforeLast: change)
    let outcome = await world.pick("approvals")
    return (person.seen.joined() + [outcome.output, outcome.errors]).joined(separator: "\n")
  }

  private func replyInNotification(_ change: @Sendable () -> Void) async throws -> String {
    let watching = try await Watching(in: world)
    let shown = try #require(
      watching.desktop.shown.last { $0.summary.contains(server ?? "") }
    )
    let label = kind == .permission ? (agrees ? "Approve" : "Deny") : (agrees ? "Yes" : "No")
    change()
    #expect(watching.desktop.press(label, on: shown))
    try await world.pass()
    let outcome = await watching.end()
    return ([shown.body] + watching.summaries + [outcome.output]).joined(separator: "\n")
  }

  private func replyByCommand(_ change: @Sendable () -> Void) async throws -> String {
    change()
    let place = server.map { ["--server", $0] } ?? []
    let outcome = await world.oppi([agrees ? "approve" : "deny"] + place + ["--", id])
    return outcome.output + outcome.errors
  }
}

extension World {
  /// The lines of this machine's record of replies.
  var replyLog: [JSONValue] {
    (disk.contents(of: "\(World.home)/.local/state/oppi/decisions.jsonl") ?? [])
      .split(separator: UInt8(ascii: "\n")).compactMap { try? JSONValue(parsing: Array($0)) }
  }

  /// Those with a result.
  var replyRecords: [JSONValue] { replyLog.filter { $0["result"] != "sent" } }
}
