// SPDX-License-Identifier: MIT

import HostTestSupport
import OppiText
import Testing

@Suite("Conversations over REST")
struct ConversationTests {
  @Test("sessions are listed, and found by all words of a query")
  func lists() throws {
    try TestClient.runSession(.sockets()) { client, stream in
      let idle = try await client.createSession()
      try await stream.prompt("hello")
      try await stream.readRun()
      func ids(_ path: String, _ list: String) async throws -> [String?]? {
        try await client.call("GET", path)[list].array?.map {
          ($0["id"].string ?? $0["sessionId"].string)
        }
      }
      #expect(try await ids("/sessions", "sessions").map(Set.init) == [stream.id, idle])
      #expect(try await ids("/sessions/recent?recentDays=1", "sessions")?.count == 2)
      let search = "/sessions/search?q=HELLO%20printed"
      let found = try await client.call("GET", search)["results"].array
      #expect(found?.map { $0["sessionId"].string } == [stream.id])
      #expect(found?.first?["snippet"] == "<b>hello</b>")
      for query in ["%20absent", "&limit=0", "&workspaceId=other"] {
        #expect(try await ids(search + query, "results") == [])
      }
    }
  }

  @Test("the conversation of a session is read without starting the agent")
  func reading() throws {
    try TestClient.runSession(.sockets()) { client, stream in
      try await stream.prompt("hello")
      try await stream.readRun()
      try await client.stop(stream.id)
      let all = ["user", "thinking", "assistant", "toolCall", "toolResult", "assistant"]
      let path = "/sessions/\(stream.id)"
      #expect(try await client.call("GET", "\(path)/trace")["trace"].array?.types == all)
      #expect(try await client.call("GET", path)["trace"] == .null)
      #expect(try await client.trace(stream.id).types == all)
      #expect(try await client.call("GET", path)["session"]["status"] == "stopped")
      let elsewhere = "\(client.sessionsPath(1))/\(stream.id)"
      let wrong = try await client.call("GET", elsewhere, expecting: 400)
      #expect(wrong == ["error": "Session does not belong to this workspace"])
      let missing = try await client.call("GET", "/sessions/unknown/trace", expecting: 404)
      #expect(missing == ["error": "Session not found"])
    }
  }

  @Test("the output of a call is whole only while the agent is loaded")
  func output() throws {
    try TestClient.runSession(.sockets()) { client, stream in
      let end = try await stream.prompt("hello", untilFirst: "tool_end")
      try await stream.readRun()
      let call = end["toolCallId"].string ?? ""
      let path = client.sessionPath(stream.id, "/tool-output/\(call)")
      #expect(try await client.call("GET", "\(path)?full=true")["output"] == "hi\n")
      try await client.stop(stream.id)
      try await client.call("GET", "\(path)?full=true", expecting: 404)
      #expect(try await client.call("GET", path)["output"] == "hi\n")
    }
  }
}

@Suite("Commands over REST")
struct CommandTests {
  @Test("a prompt is answered with its result only, and acknowledged on sockets")
  func prompt() throws {
    try TestClient.runSession(.sockets()) { client, stream in
      let message = TestStream.message("hello", turn: "t1", as: "prompt")
      let messages = try await client.command(.object(message), in: stream.id)
      #expect(messages.types == ["command_result"])
      #expect(messages[0]["success"] == true)
      #expect(messages[0]["sessionId"].string == stream.id)
      let events = try await stream.readRun()
      #expect(events.all("turn_ack").map { $0["stage"] } == ["accepted", "dispatched", "started"])
      #expect(events.all("command_result").isEmpty)
    }
  }

  @Test(
    "an invalid command is refused with the server's message",
    arguments: [
      ([], 400, "Command body must be an object"),
      (["message": "x"], 400, "Command type required"),
      (["type": "prompt"], 400, "Invalid payload: expected message"),
      (["type": "steer", "message": "x"], 500, "Steer requires an active streaming turn"),
    ] as [(JSONValue, Int, String)]
  )
  func invalid(body: JSONValue, status: Int, error: String) throws {
    try TestClient.runSession(.sockets()) { client, stream in
      let path = "/sessions/\(stream.id)/command"
      let answer = try await client.call("POST", path, body: body, expecting: status)
      #expect(answer["error"].string == error)
    }
  }

  @Test("failures with a request ID, and unknown types, are results")
  func failures() throws {
    try TestClient.runSession(.sockets()) { client, stream in
      let steer: JSONValue = ["type": "steer", "message": "x", "requestId": "s"]
      #expect(try await client.command(steer, in: stream.id).map { $0["success"] } == [false])
      let unknown = try await client.command(["type": "dance"], in: stream.id)
      #expect(unknown.errors == ["Unsupported command type: dance"])
      let level: JSONValue = ["type": "set_thinking_level", "level": "low", "requestId": "t"]
      let levels = try await client.command(level, in: stream.id)
      #expect(levels.map { $0["data"] } == [["level": "low"]])
      let state = try await client.command(["type": "get_state"], in: stream.id)
      #expect(state.map { $0["session"]["thinkingLevel"] } == ["low"])
    }
  }
}
