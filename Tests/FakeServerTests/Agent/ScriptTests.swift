// SPDX-License-Identifier: MIT

import OppiModel
import Testing

@testable import FakeServer
@testable import OppiHost

@Suite("Scripts")
struct ScriptTests {
  @Test("no word selects two scripts")
  func uniqueWords() {
    let words = Script.table.flatMap(\.words)
    #expect(Set(words).count == words.count)
    for script in Script.table {
      for word in script.words {
        #expect(Script.matching(word, manner: .standard).words == script.words)
      }
    }
  }

  @Test("a failing model sends an error, an empty message and the end of the run")
  func fail() throws {
    try TestClient.run { client in
      let (stream, id) = try await client.openSubscribed()
      try await stream.prompt("please fail", in: id)
      let events = try await stream.readRun()
      #expect(events.types.suffix(5) == ["error", "message_end", "state", "agent_end", "state"])
      #expect(events.all("error")[0]["seq"] == 3)
    }
  }

  @Test("a retry ends the run and starts another one")
  func retry() throws {
    try TestClient.run { client in
      let (stream, id) = try await client.openSubscribed()
      try await stream.prompt("retry", in: id)
      let events = try await stream.readRun() + stream.readRun()
      let landmarks = events.types.filter {
        ["error", "agent_start", "agent_end", "retry_start", "retry_end"].contains($0)
      }
      #expect(
        landmarks == [
          "agent_start", "error", "agent_end", "retry_start", "agent_start", "retry_end",
          "agent_end",
        ]
      )
      #expect(events.filter { !RecordedShapes.fits($0) } == [])
    }
  }

  @Test("big output arrives as tails that replace each other")
  func big() throws {
    try TestClient.run { client in
      let (stream, id) = try await client.openSubscribed()
      try await stream.prompt("big", in: id)
      let outputs = try await stream.readRun().all("tool_output")
      #expect(outputs.count == 2)
      #expect(outputs.allSatisfy { $0["mode"] == "replace" && $0["truncated"] == true })
      #expect(outputs.last?["totalBytes"].int ?? 0 > 280_000)
      #expect(outputs.last?["output"].string?.utf8.count ?? 0 < 16_384)
    }
  }

  @Test("a child's state has the parent's session id in its envelope")
  func child() throws {
    try TestClient.run { client in
      let (stream, id) = try await client.openSubscribed()
      try await stream.prompt("child", in: id)
      let events = try await stream.readRun()
      let foreign = events.all("state").filter { $0["session"]["id"] != $0["sessionId"] }
      #expect(foreign.count == 2)
      #expect(foreign.allSatisfy { $0["session"]["parentSessionId"].string == id })
      #expect(events.filter { !RecordedShapes.fits($0) } == [])
    }
  }

  @Test("a question is sent, and its answer is reported")
  func question() throws {
    try TestClient.run { client in
      let (stream, id) = try await client.openSubscribed()
      try await stream.prompt("a question", in: id)
      let question = try #require(try await stream.read(through: "extension_ui_request").last)
      #expect(question["method"] == "ask")
      #expect(RecordedShapes.fits(question))
      let wrong: JSONValue = [
        "type": "extension_ui_response", "sessionId": .string(id), "id": "bogus",
        "cancelled": true,
      ]
      try await stream.send(wrong)
      let error = try await stream.read(through: "error").last
      #expect(error?["error"] == "UI request not found: bogus")

      let watcher = try await client.openStream()
      let opening = try await watcher.subscribe(to: id, ["level": "notifications"])
      #expect(opening.types == ["state", "extension_ui_request", "command_result"])

      try await stream.send([
        "type": "extension_ui_response", "sessionId": .string(id), "id": question["id"],
        "value": "{\"scope\":\"unit\",\"extras\":[\"lint\"]}",
      ])
      let texts = try await stream.readRun().all("message_end").map { $0["content"].string }
      #expect(texts == ["You answered: extras: lint\nscope: unit"])
    }
  }
}
