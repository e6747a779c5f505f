// SPDX-License-Identifier: MIT

import FakeServer
import HostTestSupport
import OppiText
import Testing

@Suite("Dialogs")
struct DialogTests {
  private static func answer(_ dialog: JSONValue, _ members: JSONObject) -> JSONObject {
    let envelope: JSONObject = [
      "type": "extension_ui_response", "id": dialog["id"], "requestId": "a",
    ]
    return envelope.adding(members)
  }

  private static func lateText(_ dialog: JSONValue) -> String {
    "UI request not found: \(dialog["id"].string ?? "")"
  }

  private static let cases: [(prompt: String, answer: JSONObject, report: String)] = [
    ("ask confirm", ["confirmed": true], "You answered: yes"),
    ("ask confirm", ["confirmed": false], "You answered: no"),
    ("ask confirm", ["cancelled": true], "You answered: no"),
    ("ask confirm", ["value": "yes"], "You answered: no"),
    ("ask select", ["value": "Green"], "You answered: Green"),
    ("ask select", ["cancelled": true], "You answered: nothing"),
    ("ask input", ["value": "Ada"], "You answered: Ada"),
    ("ask editor", ["value": "Fix\n"], "You answered: Fix\n"),
    ("ask editor", ["cancelled": true], "You answered: nothing"),
    ("gate", ["value": "Yes"], "The build is cleared."),
    ("gate", ["value": "No"], "Not cleared: Blocked by user"),
    ("gate", ["value": "yes"], "Not cleared: Blocked by user"),
    ("gate", ["cancelled": true], "Not cleared: Blocked by user"),
    (
      "question", ["value": #"{"scope":"unit","extras":["lint","docs"]}"#],
      "You answered: extras: lint, docs\nscope: unit"
    ),
    ("question", ["value": ""], "You answered: nothing"),
    ("question", ["value": "{"], "You answered: The answer is not valid JSON"),
  ]

  @Test("an answer settles a dialog and is not confirmed otherwise", arguments: cases)
  func answered(prompt: String, answer: JSONObject, report: String) throws {
    try TestClient.runSession(.sockets()) { _, stream in
      let dialog = try await stream.prompt(prompt, untilFirst: "extension_ui_request")
      #expect(dialog["id"].string?.utf8.count == 36)
      #expect(dialog["sessionId"].string == stream.id)
      try await stream.send(Self.answer(dialog, answer))
      let events = try await stream.readRun()
      #expect(events.all("extension_ui_settled").map { $0["id"] } == [dialog["id"]])
      #expect(events.all("command_result").isEmpty)
      #expect(events.lastText == report)
    }
  }

  @Test(
    "calls that needed approval run unasked, unless an extension asks",
    arguments: [true, false]
  )
  func approvals(gates: Bool) throws {
    try TestClient.runSession(.sockets { $0.gatesCommands = gates }) { _, stream in
      try await stream.prompt("deploy")
      if gates {
        let dialog = try await stream.read(through: "extension_ui_request").last ?? .null
        #expect(dialog["title"].string?.contains("git push origin main") == true)
        try await stream.send(Self.answer(dialog, ["value": "Yes"]))
      }
      let events = try await stream.readRun()
      #expect(events.all("permission_request").isEmpty)
      #expect(events.lastText == "The branch is pushed.")
    }
  }

  @Test("a second answer, and one after a stop, is too late", arguments: [true, false])
  func late(isStopped: Bool) throws {
    try TestClient.runSession(.sockets()) { _, stream in
      let dialog = try await stream.prompt("ask select", untilFirst: "extension_ui_request")
      try await stream.send(
        isStopped ? ["type": "stop"] : Self.answer(dialog, ["value": "Red"])
      )
      try await stream.read(through: "agent_settled")
      try await stream.send(Self.answer(dialog, ["value": "Green"]))
      #expect(try await stream.read(through: "error").errors.last == Self.lateText(dialog))
    }
  }

  @Test("two dialogs of one session are pending at once and are answered in any order")
  func parallel() throws {
    try TestClient.runSession(.sockets()) { client, stream in
      let first = try await stream.prompt("two gates", untilFirst: "extension_ui_request")
      let second = try await stream.read(through: "extension_ui_request").last ?? .null
      let list = try await client.call("GET", "/sessions/\(stream.id)/dialogs")["dialogs"].array
      #expect(list?.map { $0["id"] } == [first["id"], second["id"]])
      #expect(list?.allSatisfy { $0["sessionId"] == .null && $0["type"] == .null } == true)
      let recent = try await client.call("GET", "/sessions/recent")["sessions"].array ?? []
      #expect(recent.map { $0["pendingAskCount"] } == [2])

      let other = try await client.connectSession(stream.id)
      let opening = try await other.read { $0["id"] == second["id"] }
      #expect(
        opening.suffix(3).map { $0["type"] } == [
          "state", "extension_ui_request", "extension_ui_request",
        ]
      )
      try await other.send(Self.answer(second, ["value": "No"]))
      #expect(try await stream.read(through: "extension_ui_settled").last?["id"] == second["id"])
      try await other.send(Self.answer(first, ["value": "Yes"]))
      let end = try await stream.read(through: "agent_settled")
      #expect(end.all("extension_ui_settled").map { $0["id"] } == [first["id"]])
      #expect(end.all("tool_end").map { $0["isError"] } == [.null, true])
    }
  }

  @Test("a dialog is settled at its timeout, which it names")
  func timeout() throws {
    try TestClient.runSession(.sockets { $0.dialogTimeout = .milliseconds(20) }) { _, stream in
      let dialog = try await stream.prompt("gate", untilFirst: "extension_ui_request")
      #expect(dialog["timeout"] == 20)
      #expect(dialog["timeoutAt"].int ?? 0 > 1_000_000_000_000)
      let events = try await stream.readRun()
      #expect(events.all("extension_ui_settled").count == 1)
      #expect(events.lastText == "Not cleared: Blocked by user")
    }
  }

  @Test("a dialog is answered over REST, where a late answer is an error among the messages")
  func rest() throws {
    try TestClient.runSession(.sockets()) { client, stream in
      let dialog = try await stream.prompt("gate", untilFirst: "extension_ui_request")
      let answer = JSONValue.object(Self.answer(dialog, ["value": "Yes"]))
      #expect(try await client.command(answer, in: stream.id) == [])
      try await stream.read(through: "extension_ui_settled")
      let late = try await client.command(answer, in: stream.id)
      #expect(late.types == ["error"])
      #expect(late.errors == [Self.lateText(dialog)])
      try await client.stop(stream.id)
      #expect(try await client.command(answer, in: stream.id).types == ["error"])
      #expect(try await client.call("GET", "/sessions/\(stream.id)/dialogs")["dialogs"] == [])
    }
  }

  @Test("a new viewer gets the notifications that stay visible")
  func notifications() throws {
    try TestClient.runSession(.sockets()) { client, stream in
      for (turn, prompt) in ["set status", "notify", "set status"].enumerated() {
        try await stream.prompt(prompt, turn: "t\(turn)")
        try await stream.read(through: "agent_settled")
      }
      let other = try await client.openSession(stream.id)
      let status = try await other.next()
      #expect(status["type"] == "extension_ui_notification")
      #expect(status["statusText"] == "running")
      try await other.send(["type": "get_state"])
      #expect(try await other.next()["type"] == "state")
    }
  }
}
