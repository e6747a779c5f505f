// SPDX-License-Identifier: MIT

import OppiTerminal
import TestSupport
import Testing

@testable import Oppi
@testable import OppiClient
@testable import OppiModel
@testable import OppiPrompts
@testable import OppiTestSupport
@testable import OppiText
@testable import OppiTurns
@testable import OppiWire

/// A user and servers that do anything in any order, by chance from a seed.
///
/// Now and then, the user starts something on purpose, which other events may interrupt.
struct ConsoleMonkey {
  private enum Step {
    case key(Key)
    case pause(Duration)
    case news(ConsoleNews)
    /// Three requests are pending, and three sessions have a state.
    case sessions(SessionPhase)
  }

  /// What the user has had in front of them, and since when.
  struct Subject: Equatable {
    var target: String
    var since: Duration
  }

  private(set) var desk = ConsoleDesk(hasMouse: true)
  private(set) var subject: Subject?
  private var random: SeededGenerator
  private let pressesEnter: Bool
  private var plan: ArraySlice<Step> = []
  private var chat = ActivityReducer(sessionID: "s1", requests: .permissions)

  /// Keys that mean something on a tab, or in a panel.
  private static let letters = Array(
    "jjjkkkgGsssmmoooxxxXeeaaccdDDfFyyyynnrRRlpiqp1234567/:?   h0Y"
  )
  private static let keys: [Key] = [
    .up, .down, .down, .left, .right, .home, .end, .pageUp, .pageDown, .tab, .escape, .backspace,
    .delete, .newline, .undo, .deleteWord, .focus(true), .focus(false), .control("a"),
    .control("c"), .control("d"), .control("g"), .control("k"), .control("o"), .control("r"),
    .control("u"), .control("w"), .control("x"), .control("y"),
  ]
  private static let pastes = ["yes\ny\n", "a", "\n\n", "d\r", "git push\n", "/stop\n"]
  private static let sizes = [(40, 12), (80, 24), (80, 6), (160, 50), (300, 100), (20, 4)]
  private static let pauses: [Duration] = [
    .zero, .milliseconds(100), .milliseconds(300), .milliseconds(1_100), .seconds(3),
  ]

  private static let look = Step.pause(.milliseconds(1_100))
  private static let glance = Step.pause(.milliseconds(300))
  private static let plans: [[Step]] = [
    typed("2", .home, .enter) + [look] + typed("a") + [glance] + typed(.enter),
    typed("1", .home, .enter) + [look] + typed("d") + [glance] + typed(.enter),
    typed("1", .end, "s") + [look] + typed("y") + [glance] + typed(.enter),
    typed("3", .home, .enter) + [look] + typed("d") + [glance] + typed(.enter),
    typed("2", .home, .down, .enter) + [look] + typed("r", "no") + [look] + typed(.enter),
    typed("3", .home, "s") + [look] + typed("y") + [glance] + typed(.enter),
    typed("3", .home, "r", "hi") + [look] + typed(.enter),
    [.sessions(.running)] + typed("3", .home, " ", " ", "s") + [look] + typed("y") + [glance]
      + typed(.enter),
    [.sessions(.idle)] + typed("3", .home, " ", " ", "D") + [look] + typed("y") + [glance]
      + typed(.enter),
    [.sessions(.failed)] + typed("3", .home, " ", " ", " ", "R")
      + ["s1", "s2", "s3"].map { Step.news(read(again, of: $0)) } + [look] + typed("y") + [glance]
      + typed(.enter),
    [.sessions(.running)] + typed("2", .home, " ", " ", "d") + [look] + typed("y") + [glance]
      + typed(.enter),
    typed("3", .home, ":", "s", "t", "o", "p", .enter) + [look] + typed("y") + [glance]
      + typed(.enter),
    typed("3", .home, "R") + [
      .news(read(again, of: "s1")), look,
    ]
      + typed(.enter),
    typed("3", .home, "e", "x") + [look] + typed(.enter),
    typed("3", "n") + [.news(.work(.workspaces(workspaces)))] + typed(.enter, .enter, "h", "i")
      + [look] + typed(.enter),
    [.news(.outbox(prompts))] + typed("5", .home, "R") + [look] + typed("y") + [glance]
      + typed(.enter),
    typed("5", .end, "p") + [look] + typed("y") + [glance] + typed(.enter),
    typed("5", .end, "R") + [look] + typed("y") + [glance] + typed(.enter),
    [.news(.outbox(prompts))] + typed("5", .home, "D") + [look] + typed("y") + [glance]
      + typed(.enter),
    [.news(.outbox(prompts))] + typed("5", .home, .down, "R") + [look] + typed("y") + [glance]
      + typed(.enter),
    typed("5", .end, "e", .enter, .enter) + [look] + typed("y") + [glance] + typed(.enter),
    typed("3", "/", "g", .enter, .home, "r", "h", "i") + [look] + typed(.enter),
    typed("3", "/", "/", "h", .enter) + [
      .news(.work(.found("h", [ConsoleDesk.searchHit], silent: [])))
    ]
      + typed(.home, "r", "h", "i") + [look] + typed(.enter),
    typed("3", ":", "r", "e", "n", .enter, "x") + [look] + typed(.enter),
    typed("7", .home, "D") + [look] + typed("y") + [glance] + typed(.enter),
    typed("7", .home, .down, "D") + [look] + typed("y") + [glance] + typed(.enter),
    typed("7", .home, .down, .down, "D") + [look] + typed("y") + [glance] + typed(.enter),
    typed("7", .end, "e", .control("u"), "2", "m", .enter) + [look] + typed("y") + [glance]
      + typed(.enter),
    typed("4", .enter) + [look] + typed("hi", .enter),
    typed("4", .enter, "hi", .enter),
    typed("4", .enter) + [look] + typed(.control("c"), .control("c")),
    typed("4", .enter) + [look] + typed("a") + [glance] + typed(.enter),
  ]

  private static func typed(_ keys: Key...) -> [Step] { keys.map(Step.key) }

  init(seed: UInt64, pressesEnter: Bool) {
    random = SeededGenerator(seed: seed)
    self.pressesEnter = pressesEnter
    _ = desk.update(.news(.settings(Self.settings)))
    _ = desk.update(.news(.schedule(.listed(Self.schedules(isEnabled: true), problems: []))))
    _ = desk.update(.news(.own(ConfigNews(items: [Self.setting]))))
    _ = desk.update(.news(.outbox(Self.prompts)))
    note(desk.subject)
  }

  /// Does one thing, and returns what the console wants to perform after it.
  mutating func act() -> [ConsoleEffect] {
    let choice = Int.random(in: 0..<10, using: &random)
    if plan.isEmpty, choice < 4 { plan = pick(Self.plans)[...] }
    let step = choice < 8 ? plan.popFirst() : nil
    let effects = step.map { take($0) } ?? chance()
    for case .own(ScheduleEffect.plan(let name, let request, _)) in effects {
      _ = desk.update(.news(.schedule(.planned(name, request, .success([])))))
    }
    return effects
  }

  private mutating func take(_ step: Step) -> [ConsoleEffect] {
    switch step {
    case .key(.enter) where !pressesEnter: return []
    case .key(let key): return desk.press(key)
    case .pause(let time):
      desk.wait(time)
      return []
    case .news(let news): return desk.update(.news(news))
    case .sessions(let phase):
      return desk.answer(
        ["a", "b", "c"].map { ConsoleDesk.request($0, "git push \($0) now") },
        sessions: ["s1", "s2", "s3"].map { ConsoleDesk.session($0, phase) }
      )
    }
  }

  private mutating func chance() -> [ConsoleEffect] {
    let effects: [ConsoleEffect]
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<56: effects = desk.press(key())
    case 56..<60: effects = desk.update(.mouse(mouse(), at: desk.now))
    case 60..<64: effects = desk.press(.paste(pick(Self.pastes)))
    case 64..<66: effects = desk.press(.text(String((0..<4).map { _ in pick(Self.letters) })))
    case 66..<80:
      desk.wait(pick(Self.pauses))
      effects = []
    case 80..<84:
      let (columns, rows) = pick(Self.sizes)
      desk.resize(columns: columns, rows: rows)
      effects = []
    default: effects = news()
    }
    return effects
  }

  private mutating func mouse() -> MouseEvent {
    MouseEvent(
      pick([.press, .press, .release, .wheelUp, .wheelDown]),
      row: Int.random(in: 0..<30, using: &random),
      column: Int.random(in: 0..<90, using: &random),
      isDouble: Bool.random(using: &random)
    )
  }

  /// Notes what is in front of the user after an action.
  mutating func look() { note(desk.subject) }

  private mutating func note(_ target: String?) {
    guard target != subject?.target else { return }
    subject = target.map { Subject(target: $0, since: desk.now) }
  }

  private mutating func pick<Element>(_ all: [Element]) -> Element {
    all[Int.random(in: 0..<all.count, using: &random)]
  }

  private mutating func key() -> Key {
    let choice = Int.random(in: 0..<10, using: &random)
    if choice < 2, pressesEnter { return .enter }
    return choice < 8 ? .text(String(pick(Self.letters))) : pick(Self.keys)
  }

  // MARK: - The servers

  private mutating func news() -> [ConsoleEffect] {
    switch Int.random(in: 0..<16, using: &random) {
    case 13: return desk.update(.news(.work(.workspaces(pick([[], Self.workspaces])))))
    case 14:
      return desk.update(.news(Self.read(Self.again, of: pick(["s1", "s2", "s3"]))))
    case 15:
      let hits = pick([[], [ConsoleDesk.searchHit]])
      return desk.update(.news(.work(.found("h", hits, silent: []))))
    case 0..<5: return answer()
    case 5: return desk.update(.news(.settings(Bool.random(using: &random) ? Self.settings : [])))
    case 6:
      let all = Self.schedules(isEnabled: Bool.random(using: &random))
      return desk.update(.news(.schedule(.listed(all, problems: []))))
    case 7: return desk.update(.news(.changeEnded))
    case 11: return desk.update(.news(.outbox(Bool.random(using: &random) ? Self.prompts : [])))
    case 8: return openChat()
    case 9...10: return chatNews()
    default:
      let failure = FleetView.Failure(message: "connection refused")
      return desk.update(.news(.looked(ConsoleDesk.studio, .failure(failure))))
    }
  }

  private mutating func answer() -> [ConsoleEffect] {
    let requests = ["a", "b", "c"].filter { _ in Bool.random(using: &random) }.map { id in
      ConsoleDesk.request(id, "git push \(id) \(pick(["now", "later"]))", expires: pick([3, 600]))
    }
    let sessions = ["s1", "s2", "s3"].filter { _ in Bool.random(using: &random) }.map { id in
      ConsoleDesk.session(id, pick([.running, .idle, .waiting, .failed]))
    }
    return desk.answer(requests, sessions: sessions)
  }

  /// The chat is connected to a session with a running turn.
  private mutating func openChat() -> [ConsoleEffect] {
    let id = ListedSession.ID(serverID: ConsoleDesk.studio, sessionID: "s1")
    chat = ActivityReducer(sessionID: "s1", requests: .permissions)
    let opened = desk.update(.news(.chat(.opened(id, .permissions, history: []))))
    let messages: [JSONValue] = [
      [
        "type": "connected", "currentSeq": 0,
        "session": ["id": "s1", "status": "busy", "workspaceId": "W", "model": "a/b"],
      ],
      ["type": "agent_start", "sessionId": "s1", "seq": 1],
    ]
    let heard = messages.flatMap { receive($0) }
    let catchUp = FeedState.CatchUp(
      status: .busy,
      isFirst: true,
      isComplete: true,
      isNewAgent: false
    )
    let step = ChatNews.step(.caughtUp(catchUp), chat.activity, nil)
    return opened + heard + desk.update(.news(.chat(.changed(id, step))))
  }

  private mutating func chatNews() -> [ConsoleEffect] {
    let messages: [JSONValue] = [
      ["type": "agent_start", "sessionId": "s1", "seq": 1],
      ["type": "agent_end", "sessionId": "s1", "seq": 2],
      [
        "type": "permission_request", "id": "p1", "sessionId": "s1", "tool": "bash",
        "input": ["command": .string(pick(["git push", "rm -r /tmp/x"]))],
        "displaySummary": "a command", "reason": "pushes", "timeoutAt": 9_000_000_000,
      ],
      ["type": "permission_cancelled", "id": "p1", "sessionId": "s1"],
    ]
    return receive(pick(messages))
  }

  private mutating func receive(_ json: JSONValue) -> [ConsoleEffect] {
    guard let message = ServerMessage(json: json) else { return [] }
    let changes = chat.apply(message, at: ConsoleDesk.begin)
    let step = ChatNews.step(.changes(changes, of: message), chat.activity, nil)
    let id = ListedSession.ID(serverID: ConsoleDesk.studio, sessionID: "s1")
    return desk.update(.news(.chat(.changed(id, step))))
  }

  /// The last turn of a session was read.
  private static func read(_ turn: Turn, of session: String) -> ConsoleNews {
    let id = ListedSession.ID(serverID: ConsoleDesk.studio, sessionID: session)
    return .work(.conversation(id, turns: 1, .success([turn])))
  }

  private static let again: Turn = {
    var turn = Turn()
    turn.prompt = "again"
    return turn
  }()

  private static let workspaces = ["webapp", "infra"].compactMap(ConsoleDesk.workspace)

  private static let settings: [SettingsItem] = [
    ConsoleDesk.item(.server(ConsoleDesk.studio), "studio"),
    ConsoleDesk.item(.device(ConsoleDesk.studio, deviceID: "phone"), "phone"),
    ConsoleDesk.item(.rule(ConsoleDesk.studio, ruleID: "one"), "Allow git push", line: "rule"),
  ]

  private static let setting = SettingsItem(
    ShownSetting(key: .timeout, value: "1m", path: "/c.json"),
    choices: []
  )

  private static let prompts = [
    ConsoleOutboxTests.item("k1", .unknown), ConsoleOutboxTests.item("k2", .waiting(retryAt: nil)),
  ]

  private static func schedules(isEnabled: Bool) -> [ScheduleItem] {
    ["standup", "report"].compactMap { name in
      var schedule = Schedule(
        name: name,
        trigger: ScheduleTrigger(.every, "30m"),
        calendar: [],
        cron: [],
        zone: "UTC"
      )
      schedule.isEnabled = isEnabled
      let record = ScheduleRecord(schedule, at: ConsoleDesk.begin)
      return ScheduleItem(ScheduleOutlook(record: record, now: ConsoleDesk.begin))
    }
  }
}
