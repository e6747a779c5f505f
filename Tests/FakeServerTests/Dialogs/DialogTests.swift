// SPDX-License-Identifier: MIT

import OppiModel
import Testing

@testable import FakeServer
@testable import OppiHost

@Suite("Dialogs")
struct DialogTests {
  /// Opens a session and prompts for a dialog.
  private static func raise(
    _ prompt: String,
    _ client: TestClient
  ) async throws -> (stream: TestStream, sessionID: String, dialog: JSONValue) {
    let (stream, id) = try await client.openSession()
    try await stream.prompt(prompt, in: nil)
    let dialog = try await stream.read(through: "extension_ui_request").last
    return (stream, id, try #require(dialog))
  }

  private static func answer(_ dialog: JSONValue, _ members: JSONObject) -> JSONValue {
    JSONValue.object(["type": "extension_ui_response", "id": dialog["id"], "requestId": "a"])
      .adding(members)
  }

  struct Case: Sendable, CustomTestStringConvertible {
    let prompt: String
    let answer: JSONObject
    let report: String

    var testDescription: String { "\(prompt): \(report)" }
  }

  private static let cases = [
    Case(prompt: "ask confirm", answer: ["confirmed": true], report: "You answered: yes"),
    Case(prompt: "ask confirm", answer: ["cancelled": true], report: "You answered: no"),
    Case(prompt: "ask confirm", answer: ["value": "yes"], report: "You answered: no"),
    Case(prompt: "ask select", answer: ["value": "Green"], report: "You answered: Green"),
    Case(prompt: "ask select", answer: ["cancelled": true], report: "You answered: nothing"),
    Case(prompt: "ask input", answer: ["value": "Ada"], report: "You answered: Ada"),
    Case(prompt: "ask editor", answer: ["value": "Fix\n"], report: "You answered: Fix\n"),
    Case(prompt: "gate", answer: ["value": "Yes"], report: "The build is cleared."),
    Case(prompt: "gate", answer: ["value": "No"], report: "Not cleared: Blocked by user"),
    Case(prompt: "gate", answer: ["value": "yes"], report: "Not cleared: Blocked by user"),
    Case(prompt: "gate", answer: ["cancelled": true], report: "Not cleared: Blocked by user"),
    Case(
      prompt: "question",
      answer: ["value": #"{"scope":"unit","extras":["lint","docs"]}"#],
      report: "You answered: extras: lint, docs\nscope: unit"
    ),
    Case(prompt: "question", answer: ["value": ""], report: "You answered: nothing"),
    Case(
      prompt: "question",
      answer: ["value": "{"],
      report: "You answered: The answer is not valid JSON"
    ),
  ]

  @Test("an answer settles a dialog and is not confirmed otherwise", arguments: cases)
  func answered(_ given: Case) throws {
    try TestClient.runSockets { client in
      let (stream, id, dialog) = try await Self.raise(given.prompt, client)
      #expect(dialog["id"].string?.utf8.count == 36)
      #expect(dialog["sessionId"].string == id)
      try await stream.send(Self.answer(dialog, given.answer))
      let events = try await stream.read(through: "agent_settled")
      #expect(events.all("extension_ui_settled").map { $0["id"] } == [dialog["id"]])
      #expect(events.all("command_result").isEmpty)
      #expect(events.all("message_end").last?["content"].string == given.report)
    }
  }

  @Test(
    "calls that needed approval run unasked, unless an extension asks",
    arguments: [true, false]
  )
  func approvals(gates: Bool) throws {
    try TestClient.runSockets(.sockets { $0.gatesCommands = gates }) { client in
      let (stream, _) = try await client.openSession()
      try await stream.prompt("deploy", in: nil)
      if gates {
        let dialog = try await stream.read(through: "extension_ui_request").last
        #expect(dialog?["title"].string?.contains("git push origin main") == true)
        try await stream.send(Self.answer(dialog ?? .null, ["value": "Yes"]))
      }
      let events = try await stream.read(through: "agent_settled")
      #expect(events.all("permission_request").isEmpty)
      #expect(events.all("message_end").last?["content"] == "The branch is pushed.")
    }
  }

  @Test("a second answer, and one after a stop, is too late", arguments: [true, false])
  func late(isStopped: Bool) throws {
    try TestClient.runSockets { client in
      let (stream, _, dialog) = try await Self.raise("ask select", client)
      if isStopped {
        try await stream.send(["type": "stop"])
      } else {
        try await stream.send(Self.answer(dialog, ["value": "Red"]))
      }
      try await stream.read(through: "agent_settled")
      try await stream.send(Self.answer(dialog, ["value": "Green"]))
      let error = try await stream.read(through: "error").last
      #expect(error?["error"].string == "UI request not found: \(dialog["id"].string ?? "")")
    }
  }

  @Test("two dialogs of one session are pending at once and are answered in any order")
  func parallel() throws {
    try TestClient.runSockets { client in
      let (stream, id, first) = try await Self.raise("two gates", client)
      let second = try await stream.read(through: "extension_ui_request").last ?? .null
      let list = try await client.call("GET", "/sessions/\(id)/dialogs")["dialogs"].array ?? []
      #expect(list.map { $0["id"] } == [first["id"], second["id"]])
      #expect(list.allSatisfy { $0["sessionId"] == .null && $0["type"] == .null })
      let recent = try await client.call("GET", "/sessions/recent")["sessions"].array ?? []
      #expect(recent.map { $0["pendingAskCount"] } == [2])

      let other = try await client.connect(client.sessionPath(id, "/stream"))
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
    try TestClient.runSockets(.sockets { $0.dialogTimeout = .milliseconds(20) }) { client in
      let (stream, _, dialog) = try await Self.raise("gate", client)
      #expect(dialog["timeout"] == 20)
      #expect(dialog["timeoutAt"].int ?? 0 > 1_000_000_000_000)
      let events = try await stream.read(through: "agent_settled")
      #expect(events.all("extension_ui_settled").count == 1)
      #expect(events.all("message_end").last?["content"] == "Not cleared: Blocked by user")
    }
  }

  @Test("a dialog is answered over REST, where a late answer is an error among the messages")
  func rest() throws {
    try TestClient.runSockets { client in
      let (stream, id, dialog) = try await Self.raise("gate", client)
      let answer = Self.answer(dialog, ["value": "Yes"])
      #expect(try await client.command(answer, in: id) == [])
      try await stream.read(through: "extension_ui_settled")
      let late = try await client.command(answer, in: id)
      #expect(late.types == ["error"])
      #expect(late[0]["error"].string == "UI request not found: \(dialog["id"].string ?? "")")
      try await client.call("POST", "/sessions/\(id)/stop")
      #expect(try await client.command(answer, in: id).types == ["error"])
      #expect(try await client.call("GET", "/sessions/\(id)/dialogs")["dialogs"] == [])
    }
  }

  @Test("a new viewer gets the notifications that stay visible")
  func notifications() throws {
    try TestClient.runSockets { client in
      let (stream, id) = try await client.openSession()
      for (turn, prompt) in ["set status", "notify", "set status"].enumerated() {
        try await stream.prompt(prompt, in: nil, turn: "t\(turn)")
        try await stream.read(through: "agent_settled")
      }
      let other = try await client.connect(client.sessionPath(id, "/stream"))
      try await other.read(through: "state")
      let status = try await other.next()
      #expect(status["type"] == "extension_ui_notification")
      #expect(status["statusText"] == "running")
      try await other.send(["type": "get_state"])
      #expect(try await other.next()["type"] == "state")
    }
  }
}
