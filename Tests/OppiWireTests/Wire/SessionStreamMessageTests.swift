// SPDX-License-Identifier: MIT

import Testing

@testable import OppiModel
@testable import OppiText
@testable import OppiWire

/// The messages that only newer servers know.
@Suite struct SessionStreamMessageTests {
  private func message(_ text: String) -> ServerMessage? { ServerMessage(text: text) }

  private func kind(_ text: String) -> ServerMessage.Kind? { message(text)?.kind }

  private static let session = #"{"id":"7c0e1f2a-0000-4000-8000-000000000001","status":"busy"}"#

  @Test(
    "the first message of a stream names the agent",
    arguments: [
      (#""runtimeEpoch":"e1""#, "e1" as String?), (#""runtimeEpoch":7"#, "7"),
      (#""runtimeEpoch":"""#, nil), (#""runtimeEpoch":null"#, nil), (#""other":1"#, nil),
    ]
  )
  func epoch(member: String, epoch: String?) {
    let text = #"{"type":"connected","currentSeq":3,"session":"# + Self.session + "," + member + "}"
    #expect(message(text)?.epoch == epoch)
    guard case .connected(let session, currentSequence: 3)? = kind(text) else {
      Issue.record("not read")
      return
    }
    #expect(session.status == .busy)
  }

  @Test("a summary has the session's status")
  func summary() {
    let text = #"{"type":"session_summary","summary":"# + Self.session + "}"
    guard case .summary(let session)? = kind(text) else {
      Issue.record("not read")
      return
    }
    #expect(session.status == .busy && session.id.count == 36)
    #expect(kind(#"{"type":"session_summary"}"#) == .unknown(type: "session_summary"))
  }

  @Test(
    "the newer kinds are known",
    arguments: [
      (#"{"type":"agent_settled","seq":4}"#, ServerMessage.Kind.agentSettled),
      (#"{"type":"extension_ui_settled","id":"d1"}"#, .questionSettled(id: "d1")),
      (#"{"type":"extension_ui_settled"}"#, .unknown(type: "extension_ui_settled")),
      (
        #"{"type":"tool_update","toolCallId":"t","tool":"bash","args":{"command":"l"}}"#,
        .toolUpdate(ToolCall(id: "t", tool: "bash", arguments: ["command": "l"]))
      ),
      (
        #"{"type":"notice","id":"n","message":"m"}"#,
        .notification("m")
      ),
      (
        #"{"type":"cache_miss","id":"n","message":"m"}"#,
        .notification("m")
      ),
      (#"{"type":"audio_stream","id":"a"}"#, .unknown(type: "audio_stream")),
    ]
  )
  func kinds(text: String, expected: ServerMessage.Kind) {
    #expect(kind(text) == expected)
  }

  @Test("a message without text has the text of its parts")
  func parts() {
    let parts =
      #"[{"kind":"thinking","text":"hm"},{"kind":"text","text":"a"},{"kind":"text","text":"b"}]"#
    let start = #"{"type":"message_end","role":"assistant","assistantContent":"# + parts
    #expect(kind(start + "}") == .messageEnd(role: .assistant, text: "ab"))
    #expect(kind(start + #","content":"c"}"#) == .messageEnd(role: .assistant, text: "c"))
    #expect(
      kind(#"{"type":"message_end","role":"assistant"}"#)
        == .messageEnd(role: .assistant, text: "")
    )
  }

  @Test("a prompt names what it becomes during a turn, and its files")
  func prompt() throws {
    var turn = Prompt("look", clientTurnID: "T")
    func members(_ message: ClientMessage) -> JSONValue {
      message.json(sessionID: nil, requestID: "r")
    }
    #expect(
      members(.prompt(turn)) == [
        "type": "prompt", "requestId": "r", "message": "look", "clientTurnId": "T",
      ]
    )
    turn.attachments = [["type": "attachment", "id": "upl_1"]]
    #expect(
      members(.prompt(turn, whenBusy: .queue)) == [
        "type": "prompt", "requestId": "r", "message": "look", "clientTurnId": "T",
        "streamingBehavior": "followUp",
        "attachments": [["type": "attachment", "id": "upl_1"]],
      ]
    )
    turn.attachments = []
    #expect(members(.prompt(turn, whenBusy: .steer))["streamingBehavior"] == "steer")
    // The type says it already.
    #expect(members(.followUp(turn))["streamingBehavior"] == .null)
  }
}
