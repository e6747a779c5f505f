// SPDX-License-Identifier: MIT

import OppiTerminal
import Synchronization
import TestSupport
import Testing

@testable import Oppi
@testable import OppiModel
@testable import OppiText
@testable import OppiTurns
@testable import OppiWire

/// A chat on a screen with a clock and a session, without a terminal or a server.
struct ChatDesk {
  var screen: ChatScreen
  var now = Duration.zero
  var reducer: ActivityReducer

  init(
    columns: Int = 80,
    rows: Int = 24,
    requests: Dialect.Requests = .permissions,
    history: [String] = []
  ) {
    reducer = ActivityReducer(sessionID: "S", requests: requests)
    let state = ChatState(sessionID: "S", requests: requests, newID: Self.counter())
    screen = ChatScreen(state, history: history)
    _ = resize(columns: columns, rows: rows)
  }

  /// A chat with a pending request; `draft` was typed before it.
  static func asked(draft: String = "") throws -> ChatDesk {
    var desk = ChatDesk()
    _ = try desk.connect("busy")
    if !draft.isEmpty { _ = desk.press(.text(draft)) }
    try desk.ask()
    return desk
  }

  static func counter() -> @Sendable () -> String {
    let count = Mutex(0)
    return {
      count.withLock { count in
        count += 1
        return "id-\(count)"
      }
    }
  }

  // MARK: - The session

  mutating func receive(_ json: JSONValue) throws -> [ChatEffect] {
    let message = try #require(ServerMessage(json: json))
    let changes = reducer.apply(message, at: Timestamp(milliseconds: 0))
    return update(.news(.step(.changes(changes, of: message), reducer.activity, nil)))
  }

  /// Connects the stream of a session with the given status.
  mutating func connect(_ status: String = "ready", sequence: Int = 0) throws -> [ChatEffect] {
    let session: JSONValue = [
      "id": "S", "status": .string(status), "workspaceId": "W", "model": "a/b",
    ]
    let heard = try receive([
      "type": "connected", "session": session, "currentSeq": .integer(Int64(sequence)),
    ])
    let catchUp = FeedState.CatchUp(
      status: Session.Status(status),
      isFirst: true,
      isComplete: true,
      isNewAgent: false
    )
    return heard + update(.news(.step(.caughtUp(catchUp), reducer.activity, nil)))
  }

  mutating func begin() throws {
    _ = try receive(["type": "agent_start", "sessionId": "S", "seq": 1])
  }

  /// The session has a message of a user.
  mutating func hear(_ text: String, sequence: Int64 = 2) throws -> [ChatEffect] {
    try receive([
      "type": "message_end", "role": "user", "content": .string(text), "sessionId": "S",
      "seq": .integer(sequence),
    ])
  }

  /// The server refuses a command.
  mutating func refuse(
    _ id: String = "id-1.1.prompt",
    of command: String = "prompt",
    because error: String = "no"
  ) throws -> [ChatEffect] {
    try receive([
      "type": "command_result", "command": .string(command), "requestId": .string(id),
      "success": false, "error": .string(error), "sessionId": "S",
    ])
  }

  mutating func ask(_ id: String = "p1", command: String = "git push") throws {
    _ = try receive([
      "type": "permission_request", "id": .string(id), "sessionId": "S", "tool": "bash",
      "input": ["command": .string(command)], "displaySummary": "git push",
      "reason": "pushes", "timeoutAt": 120_000,
    ])
  }

  // MARK: - The person

  mutating func resize(columns: Int, rows: Int) -> [ChatEffect] {
    update(.resized(ScreenSize(columns: columns, rows: rows)))
  }

  mutating func press(_ keys: Key..., after pause: Duration = .zero) -> [ChatEffect] {
    now += pause
    return keys.flatMap { update(.key($0, at: now)) }
  }

  /// Selects by a letter and confirms, with the pauses of a careful user.
  mutating func choose(_ letter: String) -> [ChatEffect] {
    press(.text(letter), after: .seconds(2)) + press(.enter, after: .seconds(1))
  }

  mutating func wait(_ pause: Duration) -> [ChatEffect] {
    now += pause
    return update(.tick)
  }

  /// Handles an event and draws the screen.
  mutating func update(_ event: ScreenEvent<ChatNews>) -> [ChatEffect] {
    (screen.update(event, at: now) + screen.update(.shown, at: now)).map(\.ofChat)
  }

  var lines: [String] {
    screen.view(at: Timestamp(milliseconds: 0), frame: 0).picture.texts
  }

  /// The choice that is selected in an approval.
  var selection: CallChoice? { screen.panel?.selection }

  /// The line in which the cursor is, the focus for screen readers; empty if it is hidden.
  var lineOfCursor: String {
    let view = screen.view(at: Timestamp(milliseconds: 0), frame: 0)
    return view.cursor.map { view.picture.text(row: $0.row) } ?? ""
  }

  func shows(_ text: String) -> Bool { lines.contains { $0.contains(text) } }
}

/// A chat in lines with a clock and a session; everything is printed at once.
struct ChatLinesDesk {
  var lines: ChatLines
  var reducer: ActivityReducer
  var now = Duration.zero
  /// The time of day.
  var moment = Timestamp(milliseconds: 0)

  init(requests: Dialect.Requests = .permissions) {
    let state = ChatState(sessionID: "S", requests: requests, newID: ChatDesk.counter())
    lines = ChatLines(state, width: 80)
    reducer = ActivityReducer(sessionID: "S", requests: requests)
  }

  @discardableResult
  mutating func receive(_ json: JSONValue) throws -> [ChatEffect] {
    let message = try #require(ServerMessage(json: json))
    let changes = reducer.apply(message, at: Timestamp(milliseconds: 0))
    return update(.news(.step(.changes(changes, of: message), reducer.activity, nil)))
  }

  mutating func begin() throws {
    try receive(["type": "agent_start", "sessionId": "S", "seq": 1])
  }

  @discardableResult
  mutating func ask(
    _ id: String = "p1",
    _ command: String = "git push",
    limit: Int64? = nil
  ) throws -> [ChatEffect] {
    try receive([
      "type": "permission_request", "id": .string(id), "sessionId": "S", "tool": "bash",
      "input": ["command": .string(command)], "displaySummary": .string(command),
      "timeoutAt": limit.map { .integer($0) } ?? .null,
    ])
  }

  mutating func type(_ line: String, after pause: Duration = .seconds(2)) -> [ChatEffect] {
    now += pause
    return update(.line(line))
  }

  mutating func update(_ event: LineEvent<ChatNews>) -> [ChatEffect] {
    defer { _ = lines.effects(of: .shown, at: now, moment) }
    return lines.effects(of: event, at: now, moment)
  }
}

extension [ChatEffect] {
  var decisions: [PermissionDecision] {
    compactMap { effect in
      if case .reply(.decision(let decision), _) = effect { decision } else { nil }
    }
  }

  /// The messages that are sent to the server, each after its type.
  var sent: [String] {
    flatMap { effect -> [String] in
      guard case .deliver(.perform(.send(let requests), _, _)) = effect else { return [] }
      return requests.map { request in
        switch request.message {
        case .prompt(let turn, _): "prompt \(turn.text)"
        case .followUp(let turn): "follow_up \(turn.text)"
        case .steer(let turn): "steer \(turn.text)"
        default: request.message.type
        }
      }
    }
  }

  var answers: [QuestionAnswer] {
    compactMap { effect in
      if case .reply(.answer(let answer), _) = effect { answer } else { nil }
    }
  }

  var printed: [String] {
    flatMap { effect -> [String] in
      if case .print(let lines) = effect { lines.map(\.plain) } else { [] }
    }
  }
}

extension ChatLines {
  /// Handles an event at a time of day.
  mutating func effects(
    of event: LineEvent<ChatNews>,
    at now: Duration,
    _ moment: Timestamp = Timestamp(milliseconds: 0)
  ) -> [ChatEffect] {
    update(event, at: now, moment).map(\.ofChat)
  }
}

extension ScreenEffect<ChatEffect> {
  /// The effect as one of a chat; a notice names one of the terminal.
  fileprivate var ofChat: ChatEffect {
    switch self {
    case .perform(let effect): effect
    case .print(let lines): .print(lines)
    case .leave: .leave
    case .edit, .suspend, .redraw, .copy, .call, .mouse: .say("\(self)")
    }
  }
}
