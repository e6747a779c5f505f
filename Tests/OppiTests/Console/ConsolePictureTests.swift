// SPDX-License-Identifier: MIT

import OppiModel
import OppiTerminal
import OppiText
import OppiWire
import Simulation
import TestSupport
import Testing

@testable import Oppi
@testable import OppiClient
@testable import OppiTestSupport

/// The tabs of the console as text, for three servers of which one does not answer.
@Suite struct ConsolePictureTests {
  private static let sizes = [(40, 12), (80, 24), (120, 40), (160, 50)]
  private static let goals = [
    "Fix the flaky test of the login", "Add a cache for the thumbnails of the gallery",
    "Why is the nightly build slow?", "Translate the settings", "Rename the module",
  ]
  private static let names = ["studio", "attic", "cellar"]

  private static func id(_ server: Int) -> Fingerprint {
    Fingerprint(digest: [UInt8](repeating: UInt8(server + 1), count: 32))
  }

  /// The session with a number; every fourth waits, fails, runs or is done.
  private static func session(_ number: Int) -> SessionStatus {
    var session = ConsoleDesk.session(
      "S\(String(1_000_000 + number).dropFirst())",
      [.waiting, .failed, .running, .done][number % 4]
    )
    session.goal = goals[number % goals.count]
    session.cost = 0.25 * Double(number % 9)
    session.changes = .init(files: 2, addedLines: 12 + number, removedLines: number)
    session.lastActivity = ConsoleDesk.begin.moved(by: .seconds(-60 * number))
    if session.phase == .failed { session.turn = TurnSummary(failure: "overloaded") }
    return session
  }

  private static let commands = [
    "git push --force origin main", "curl -d @notes.txt https://example.org/upload",
    "sudo systemctl restart nginx", "swift test", "rm -rf build",
  ]

  private static func request(_ number: Int, of session: SessionStatus) -> ListedRequest {
    var request = ConsoleDesk.request(
      "r\(number)",
      commands[number % commands.count],
      session: session.id,
      expires: number % 2 == 0 ? 600 : nil
    )
    request.place.goal = session.goal
    request.place.sessionID = session.id
    return request
  }

  private static var settings: [SettingsItem] {
    names.enumerated().map { server, name in
      SettingsItem(
        id: .server(id(server)),
        label: name,
        name: StyledText(name),
        line: StyledText("https://\(name).example:7749"),
        detail: [StyledText("Server \(name)", .heading)]
      )
    }
  }

  private static var prompts: [OutboxItem] {
    [
      ConsoleOutboxTests.item("k1", .waiting(retryAt: ConsoleDesk.begin.moved(by: .seconds(90)))),
      ConsoleOutboxTests.item("k2", .unknown, "Deploy to staging and watch the first requests"),
      ConsoleOutboxTests.item("k3", .failed, "Update the dependencies"),
    ]
  }

  private static func desk(_ size: (columns: Int, rows: Int), sessions: Int) throws -> ConsoleDesk {
    var desk = ConsoleDesk(columns: size.columns, rows: size.rows)
    _ = desk.update(.news(.paired(names.enumerated().map { (id($0), $1) })))
    let all = (0..<sessions).map(session)
    for server in 0..<2 {
      let own = all.enumerated().filter { $0.offset % 2 == server }.map(\.element)
      let requests = own.filter { $0.phase == .waiting }.enumerated().map { index, session in
        let request = request(index, of: session)
        return ListedRequest(
          request.request,
          of: id(server),
          at: request.place,
          listedAt: request.listedAt
        )
      }
      let open = Dictionary(grouping: requests, by: \.place.sessionID).mapValues {
        $0.map(\.approval)
      }
      let sessions = own.map { session in
        var session = session
        session.approvals = open[session.id] ?? []
        return session
      }
      let answer = FleetView.Answer(
        at: ConsoleDesk.begin,
        way: server == 0 ? .permissions : .dialogs,
        requests: requests,
        sessions: sessions
      )
      _ = desk.update(.news(.looked(id(server), .success(answer))))
    }
    let lost = FleetView.Failure(message: "can't reach cellar: connection refused")
    _ = desk.update(.news(.looked(id(2), .failure(lost))))
    _ = desk.update(.news(.schedule(.listed([], problems: []))))
    _ = desk.update(.news(.costs(.summed(try ConsoleCostsTests.summary(), problem: nil))))
    _ = desk.update(.news(.settings(settings)))
    let keys: [(ConfigKey, String?)] = [
      (.workspace, "studio/webapp"), (.thinking, nil), (.onAsk, nil), (.dayBudget, "5"),
    ]
    let items = keys.map { key, value in
      SettingsItem(ShownSetting(key: key, value: value, path: "~/config.json"), choices: [])
    }
    _ = desk.update(.news(.own(ConfigNews(items: items))))
    if sessions > 0 { _ = desk.update(.news(.outbox(prompts))) }
    return desk
  }

  /// The rows, of which equal ones in succession are counted.
  private static func shortened(_ rows: [String]) -> [String] {
    var runs: [(row: String, count: Int)] = []
    for row in rows {
      if runs.last?.row == row { runs[runs.count - 1].count += 1 } else { runs.append((row, 1)) }
    }
    return runs.flatMap { run in
      run.count < 3
        ? Array(repeating: run.row, count: run.count) : [run.row, "⋮ \(run.count - 1) more"]
    }
  }

  @Test("the tabs of the console with 0, 3 and 200 sessions", arguments: sizes)
  func tabs(columns: Int, rows: Int) throws {
    var text = ""
    for sessions in [0, 3, 200] {
      var desk = try Self.desk((columns, rows), sessions: sessions)
      for tab in desk.screen.tabs.indices {
        desk.press(.text("\(tab + 1)"))
        // The list of requests and that of sessions have a selected row.
        if sessions > 0, (0...2).contains(tab) { desk.press(.down) }
        #expect(desk.lines.allSatisfy { DisplayWidth.of($0) <= columns })
        text += "--- \(sessions) sessions, \(desk.screen.tabs[tab].title)\n"
        text += Self.shortened(desk.lines).joined(separator: "\n") + "\n"
        // The chat takes text at once.
        desk.press(.escape)
      }
    }
    try Snapshot.check(text, "console-\(columns)x\(rows).txt")
  }

  @Test("the chat with an answer, and with a change and the request after it", arguments: sizes)
  func chat(columns: Int, rows: Int) {
    inWorld(.gated) { world, _ in
      _ = try await world.session(asking: "markdown")
      let terminal = world.start(["console"], columns: columns, rows: rows)
      try await terminal.see("[1 Now")
      try await terminal.type("4", see: "That is all.")
      try await terminal.see("Enter: send")
      var text = "--- an answer\n"
      text += Self.shortened(terminal.lines).joined(separator: "\n")
      try await world.pass(.seconds(2))
      try await terminal.type("flaky\r", see: "allow once")
      try await terminal.seeNo("keys go to your draft")
      text += "\n--- a change, and a request\n"
      text += Self.shortened(terminal.lines).joined(separator: "\n") + "\n"
      try Snapshot.check(text, "chat-\(columns)x\(rows).txt")
      terminal.type("d")
      try await world.pass(.seconds(1))
      try await terminal.type("\r", see: "Not pushed")
      try await terminal.type("\u{1B}", see: "q quit")
      terminal.type("q")
      try await terminal.end(exits: 0)
    }
  }
}
