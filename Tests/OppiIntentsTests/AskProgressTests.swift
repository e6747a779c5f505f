// SPDX-License-Identifier: MIT

import OppiModel
import Testing

@testable import OppiIntents

@Suite struct AskProgressTests {
  /// Progress whose requests are `s`, `t` and `p` for subscribe, thinking level and prompt.
  private static func progress() -> AskProgress {
    var ids = ["p", "t", "s"]
    return AskProgress(sessionID: "S", clientTurnID: "turn") { ids.removeLast() }
  }

  /// What an event is called in the tables.
  private static func name(_ event: AskProgress.Event?) -> String {
    switch event {
    case .connected: "connected"
    case .thinkingSet: "thinking set"
    case .accepted: "accepted"
    case .started: "started"
    case .refused(let text): "refused: \(text)"
    case nil: ""
    }
  }

  @Test(
    "messages move an ask on, or do not",
    arguments: [
      ([#"{"type":"stream_connected","userName":"vm"}"#], [""]),
      (
        [#"{"type":"connected","session":{"id":"S"},"currentSeq":3,"sessionId":"S"}"#],
        ["connected"]
      ),
      ([#"{"type":"connected","session":{"id":"child"},"sessionId":"S"}"#], [""]),
      ([#"{"type":"command_result","requestId":"s","success":true}"#], [""]),
      (
        [#"{"type":"command_result","requestId":"s","success":false,"error":"limit"}"#],
        ["refused: limit"]
      ),
      ([#"{"type":"command_result","requestId":"t","success":true}"#], ["thinking set"]),
      ([#"{"type":"command_result","requestId":"p","success":true}"#], ["accepted"]),
      ([#"{"type":"command_result","requestId":"another's","success":false,"error":"x"}"#], [""]),
      ([#"{"type":"turn_ack","clientTurnId":"turn","stage":"accepted"}"#], [""]),
      ([#"{"type":"turn_ack","clientTurnId":"turn","stage":"dispatched"}"#], ["accepted"]),
      (
        [#"{"type":"turn_ack","clientTurnId":"turn","stage":"accepted","duplicate":true}"#],
        ["accepted"]
      ),
      ([#"{"type":"turn_ack","clientTurnId":"another's","stage":"dispatched"}"#], [""]),
      ([#"{"type":"agent_start","seq":1,"sessionId":"S"}"#], [""]),
      ([#"{"type":"error","error":"Permission request not found: x"}"#], [""]),
      ([#"{"type":"error","error":"no more room","fatal":true}"#], ["refused: no more room"]),
    ] as [([String], [String])]
  )
  func singleMessages(messages: [String], events: [String]) {
    check(messages, events)
  }

  @Test("an acceptance counts once, and what follows it is the agent's word")
  func afterAcceptance() {
    let accepted = #"{"type":"turn_ack","clientTurnId":"turn","stage":"dispatched"}"#
    let result = #"{"type":"command_result","requestId":"p","success":true}"#
    check(
      [accepted, result, #"{"type":"agent_start","sessionId":"S"}"#],
      ["accepted", "", "started"]
    )
    check(
      [accepted, #"{"type":"error","error":"No API key\u001b[2J","sessionId":"S"}"#],
      ["accepted", "refused: No API key"]
    )
    check([accepted, #"{"type":"error","error":"x","sessionId":"other"}"#], ["accepted", ""])
    check([accepted, #"{"type":"agent_start","sessionId":"other"}"#], ["accepted", ""])
  }

  private func check(_ messages: [String], _ events: [String]) {
    var progress = Self.progress()
    let names = messages.map { text in
      Self.name(ServerMessage(bytes: Array(text.utf8)).flatMap { progress.apply($0) })
    }
    #expect(names == events, "\(messages)")
  }

  @Test("the last unaddressed error is kept to explain a stream that ends")
  func lastError() throws {
    var progress = Self.progress()
    let message = try #require(
      ServerMessage(bytes: Array(#"{"type":"error","error":"agent failed to start"}"#.utf8))
    )
    #expect(progress.apply(message) == nil)
    #expect(progress.lastError == "agent failed to start")
  }
}
