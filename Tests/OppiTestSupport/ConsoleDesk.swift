// SPDX-License-Identifier: MIT

import OppiTerminal
import TestSupport
import Testing

@testable import Oppi
@testable import OppiClient
@testable import OppiModel
@testable import OppiText
@testable import OppiTurns
@testable import OppiWire

/// The console on a screen with a clock and servers, without a terminal or a network.
struct ConsoleDesk {
  static let studio = Fingerprint(digest: [UInt8](repeating: 1, count: 32))
  static let attic = Fingerprint(digest: [UInt8](repeating: 2, count: 32))
  static let begin = Timestamp(seconds: 1_000_000)

  private(set) var screen: ConsoleScreen
  private(set) var now = Duration.zero
  private(set) var copied: String?
  private(set) var calls: [String] = []
  /// How the console has switched the mouse.
  private(set) var mouse: [Bool] = []
  private var requests: [ListedRequest] = []
  private var sessions: [SessionStatus] = []

  /// `tabs` are those of the console by default, of which Approvals is shown first.
  init(
    columns: Int = 80,
    rows: Int = 24,
    isReadOnly: Bool = false,
    bindings: KeyBindings = KeyBindings(),
    hasMouse: Bool = false,
    tabs: [any ConsoleTab]? = nil
  ) {
    screen = ConsoleScreen(
      tabs: tabs ?? ConsoleCommand.tabs(newID: ChatDesk.counter()),
      selected: tabs == nil ? 1 : 0,
      isReadOnly: isReadOnly,
      bindings: bindings,
      hasMouse: hasMouse,
      now: Self.begin
    )
    resize(columns: columns, rows: rows)
    _ = update(.news(.paired([(Self.studio, "studio")])))
  }

  // MARK: - The chat

  static let chatID = ListedSession.ID(serverID: studio, sessionID: "s1")

  /// The chat with the first of two sessions, which takes the keys; it is not connected.
  static func openChat() -> ConsoleDesk {
    var desk = ConsoleDesk()
    desk.answer(sessions: ["s1", "s2"].map { session($0, .idle) })
    desk.press("4")
    _ = desk.update(.news(.chat(.wanted(chatID))))
    _ = desk.update(.news(.chat(.opened(chatID, .permissions, history: []))))
    desk.wait(.seconds(2))
    return desk
  }

  /// The same, connected to the session, which is idle.
  static func connectedChat() throws -> ConsoleDesk {
    var desk = openChat()
    for news in try ChatNews.connected("s1") {
      _ = desk.update(.news(.chat(.changed(chatID, news))))
    }
    return desk
  }

  // MARK: - The server

  static func request(
    _ id: String,
    _ command: String,
    session: String = "S",
    expires: Int? = 600
  ) -> ListedRequest {
    let end = expires.map { begin.moved(by: .seconds($0)) }
    return listed(.call(id, command, in: session, timeoutAt: end))
  }

  static func listed(_ request: HumanRequest) -> ListedRequest {
    ListedRequest(
      request,
      of: studio,
      at: RequestOrigin(server: "studio", workspace: "webapp", sessionID: "S"),
      listedAt: begin
    )
  }

  static func session(_ id: String, _ phase: SessionPhase) -> SessionStatus {
    SessionStatus(
      id: id,
      workspaceName: "webapp",
      goal: "goal of \(id)",
      phase: phase,
      lastActivity: begin,
      messageCount: 2
    )
  }

  /// An item of the settings, which can be removed unless it is a server.
  static func item(
    _ id: SettingsItem.ID,
    _ label: String,
    line: String? = nil,
    detail: [StyledText] = []
  ) -> SettingsItem {
    let isServer = if case .server = id { true } else { false }
    return SettingsItem(
      id: id,
      label: label,
      name: StyledText(line ?? label),
      line: StyledText(),
      detail: detail,
      isRevocable: !isServer
    )
  }

  /// A session that a search found, and that is not listed.
  static let hit = ListedSession(
    serverID: studio,
    server: "studio",
    status: session("old", .done)
  )

  static func workspace(_ name: String) -> ServerWorkspace? {
    Endpoint(scheme: .http, host: "studio", port: 1).map { endpoint in
      ServerWorkspace(
        server: PairedServer(id: studio, name: "studio", endpoint: endpoint),
        workspace: Workspace(id: name, name: name)
      )
    }
  }

  static let searchHit = SessionHit(session: hit, match: StyledText("the zebra test"))

  /// The server answers with these requests and sessions.
  @discardableResult
  mutating func answer(
    _ requests: [ListedRequest] = [],
    sessions: [SessionStatus] = []
  ) -> [ConsoleEffect] {
    let time = Self.begin.moved(by: now)
    let answer = FleetView.Answer(at: time, requests: requests, sessions: sessions)
    return update(.news(.looked(Self.studio, .success(answer))))
  }

  // MARK: - The user

  mutating func update(_ event: ScreenEvent<ConsoleNews>) -> [ConsoleEffect] {
    let effects = screen.update(event, at: now)
    _ = screen.update(.shown, at: now)
    for case .copy(let text) in effects { copied = text }
    for case .call(let text) in effects { calls.append(text) }
    for case .mouse(let isOn) in effects { mouse.append(isOn) }
    return effects.compactMap { effect in
      switch effect {
      case .perform(let effect): effect
      case .leave: .leave
      default: nil
      }
    }
  }

  mutating func resize(columns: Int, rows: Int) {
    _ = update(.resized(ScreenSize(columns: columns, rows: rows)))
  }

  @discardableResult
  mutating func press(_ keys: Key..., after pause: Duration = .zero) -> [ConsoleEffect] {
    wait(pause)
    return keys.flatMap { update(.key($0, at: now)) }
  }

  @discardableResult
  mutating func wait(_ time: Duration) -> [ConsoleEffect] {
    now += time
    return update(.tick) + update(.news(.clock(Self.begin.moved(by: now))))
  }

  /// Selects by a letter and confirms, with the pauses of a careful user.
  mutating func choose(_ letter: String) -> [ConsoleEffect] {
    press(.text(letter), after: .seconds(2))
    return press(.enter, after: .seconds(1))
  }

  // MARK: - The screen

  var view: ScreenView { screen.view(at: Self.begin.moved(by: now), frame: 0) }

  var lines: [String] { view.picture.texts }

  func shows(_ text: String) -> Bool { lines.contains { $0.contains(text) } }

  var footer: String { lines.last ?? "" }

  /// The line on which the cursor stands.
  var cursorLine: String {
    guard let row = view.cursor?.row, lines.indices.contains(row) else { return "" }
    return lines[row]
  }
}

extension ChatNews {
  /// A chat connects to a session, which is idle.
  static func connected(_ session: String) throws -> [ChatNews] {
    let description: JSONValue = ["id": .string(session), "status": "ready", "workspaceId": "W"]
    let catchUp = FeedState.CatchUp(
      status: .ready,
      isFirst: true,
      isComplete: true,
      isNewAgent: false
    )
    return [
      try received(["type": "connected", "session": description, "currentSeq": 0]),
      .step(.caughtUp(catchUp), Turn(), nil),
    ]
  }

  /// A message of an idle session.
  static func received(_ json: JSONValue) throws -> ChatNews {
    let message: ServerMessage = try #require(ServerMessage(json: json))
    return .step(.changes([], of: message), Turn(), nil)
  }
}

/// The menu of the console with a clock and servers, without a terminal or a network.
struct MenuDesk {
  private(set) var menu: ConsoleMenu
  private(set) var now = Duration.zero
  /// What was printed since the last line of the user.
  private(set) var printed: [String] = []
  private(set) var hasLeft = false

  init(isReadOnly: Bool = false) {
    menu = ConsoleMenu(
      isReadOnly: isReadOnly,
      now: ConsoleDesk.begin,
      width: 80,
      newID: ChatDesk.counter()
    )
    receive(.paired([(ConsoleDesk.studio, "studio")]))
  }

  /// The server has answered with these requests and sessions.
  static func listing(
    _ requests: ListedRequest...,
    sessions: [SessionStatus] = [],
    isReadOnly: Bool = false
  ) -> MenuDesk {
    var desk = MenuDesk(isReadOnly: isReadOnly)
    desk.answer(requests, sessions: sessions)
    return desk
  }

  /// The last turn of session S was read.
  @discardableResult
  mutating func prompt(_ text: String?) -> [ConsoleEffect] {
    var turn = Turn()
    turn.prompt = text
    let id = ListedSession.ID(serverID: ConsoleDesk.studio, sessionID: "S")
    return receive(.work(.conversation(id, turns: 1, .success([turn]))))
  }

  /// The number of the choice with some words, as it was last printed.
  func number(of words: String) -> String {
    let line = menu.numbered.entries.firstIndex { $0.line.contains(words) }
    return line.map { String($0 + 1) } ?? "no choice '\(words)'"
  }

  @discardableResult
  mutating func receive(_ news: ConsoleNews) -> [ConsoleEffect] {
    update(.news(news))
  }

  /// The server answers with these requests and sessions.
  @discardableResult
  mutating func answer(
    _ requests: [ListedRequest] = [],
    sessions: [SessionStatus] = []
  ) -> [ConsoleEffect] {
    let time = ConsoleDesk.begin.moved(by: now)
    let answer = FleetView.Answer(at: time, requests: requests, sessions: sessions)
    return receive(.looked(ConsoleDesk.studio, .success(answer)))
  }

  @discardableResult
  mutating func type(_ lines: String..., after pause: Duration = .seconds(2)) -> [ConsoleEffect] {
    lines.flatMap { line in
      wait(pause)
      printed = []
      return update(.line(line))
    }
  }

  @discardableResult
  mutating func wait(_ time: Duration) -> [ConsoleEffect] {
    now += time
    return update(.tick)
  }

  mutating func interrupt() { _ = update(.interrupted(hasDraft: false)) }

  /// Stops the program with Ctrl-Z and continues it.
  mutating func suspend() {
    printed = []
    _ = update(.continued)
  }

  private mutating func update(_ event: LineEvent<ConsoleNews>) -> [ConsoleEffect] {
    let time = ConsoleDesk.begin.moved(by: now)
    var others: [ConsoleEffect] = []
    for effect in menu.update(event, at: now, time) {
      switch effect {
      case .print(let lines): printed += lines.map(\.plain)
      case .perform(let effect): others.append(effect)
      case .leave: hasLeft = true
      default: break
      }
    }
    _ = menu.update(.shown, at: now, time)
    return others
  }

  func prints(_ text: String) -> Bool { printed.contains { $0.contains(text) } }
}

extension Key: ExpressibleByStringLiteral {
  /// Typed text.
  package init(stringLiteral text: String) { self = .text(text) }
}
