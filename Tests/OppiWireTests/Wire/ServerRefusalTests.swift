// SPDX-License-Identifier: MIT

import OppiModel
import OppiText
import OppiWire
import Testing

@Suite struct ServerRefusalTests {
  @Test(
    "the text of a refusal is recognized",
    arguments: [
      ("Session not found: abc", ServerRefusal.sessionNotFound),
      ("Subscribe rate limit exceeded", .subscribeRateLimit),
      ("Workspace session limit reached (3)", .sessionLimit),
      ("Global session limit reached", .sessionLimit),
      ("Agent is already processing. Specify streamingBehavior", .agentBusy),
      ("steer requires an active streaming turn", .noActiveTurn),
      ("Follow-up requires an active streaming terminal turn", .noActiveTurn),
      ("Prompt requires an idle session; use steer or follow_up", .promptNeedsIdle),
      ("Prompt requires an idle terminal session; use steer", .promptNeedsIdle),
      ("Session not active: abc", .sessionNotActive),
      ("clientTurnId conflict: T", .turnIDConflict),
    ]
  )
  func known(words: String, refusal: ServerRefusal) {
    #expect(ServerRefusal(words: words) == refusal)
  }

  @Test(
    "other texts are not recognized",
    arguments: [
      "", "session not found", "The Session not found", "Workspace session limit is 3",
      "The Global session limit reached", "requires an active streaming turn!",
    ]
  )
  func unknown(words: String) {
    #expect(ServerRefusal(words: words) == nil)
  }
}

@Suite("LaunchAnswer")
struct LaunchAnswerTests {
  private static func session(_ launch: JSONValue = [:]) -> JSONValue {
    ["id": "S", "status": "ready", "launch": launch]
  }

  @Test(
    "a session has the prompt if the server says so in either member",
    arguments: [
      (["session": session(), "prompted": true], true),
      (["session": session(["promptDispatch": "delivered"]), "prompted": false], true),
      (["session": session(["promptDispatch": "not_sent"]), "prompted": false], false),
      (["session": session()], false), (["session": session(), "prompted": "true"], false),
    ] as [(JSONValue, Bool)]
  )
  func prompted(json: JSONValue, isPrompted: Bool) throws {
    for status in [200, 201] {
      let answer = try #require(LaunchAnswer(status: status, json: json), "\(json)")
      let undelivered = SessionLaunch.Event.undelivered(
        .agentRefused("no reason given"),
        isEmpty: true
      )
      #expect(answer.event == (isPrompted ? .delivered : undelivered), "\(json)")
      #expect(answer.session?.id == "S" && answer.sessionID == "S")
    }
  }

  @Test("the reason of a failed launch is one safe line")
  func reason() {
    let launch: JSONValue = [
      "promptDispatch": "not_sent", "promptError": "no\u{1b}[31m key\nfound",
    ]
    let json: JSONValue = ["session": Self.session(launch), "prompted": false]
    let event = SessionLaunch.Event.undelivered(.agentRefused("no key found"), isEmpty: true)
    #expect(LaunchAnswer(status: 201, json: json)?.event == event)
  }

  @Test("409 is a launch in progress, or a start that will always fail")
  func conflict() {
    let busy: JSONValue = ["error": "launch_in_progress", "retryable": true]
    #expect(LaunchAnswer(status: 409, json: busy)?.event == .inProgress)
    let text = #"Model "x" is not available. Available models: a, b"#
    let failed = LaunchAnswer(status: 409, json: ["error": .string(text), "sessionId": "S"])
    #expect(failed?.event == .undelivered(.startFailed(text), isEmpty: true))
    #expect(failed?.sessionID == "S" && failed?.session == nil)
  }

  @Test(
    "only a status of success has a session",
    arguments: [(199, false), (299, true), (300, false)]
  )
  func statuses(status: Int, hasSession: Bool) {
    let answer = LaunchAnswer(status: status, json: ["session": Self.session(), "prompted": true])
    #expect((answer?.session != nil) == hasSession)
  }

  @Test("the useless session of a failed start has a valid id, or none")
  func uselessSession() {
    let json: JSONValue = ["error": "no key\u{1B}[31m", "sessionId": "a/b"]
    let answer = LaunchAnswer(status: 409, json: json)
    #expect(
      answer?.event == .undelivered(.startFailed("no key"), isEmpty: false)
        && answer?.sessionID == nil
    )
  }

  @Test(
    "other answers are errors of the route",
    arguments: [
      (200, [:]), (409, [:]), (400, ["error": "Invalid thinking level"]), (500, .null),
    ] as [(Int, JSONValue)]
  )
  func others(status: Int, json: JSONValue) {
    #expect(LaunchAnswer(status: status, json: json) == nil)
  }
}
