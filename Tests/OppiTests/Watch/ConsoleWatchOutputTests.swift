// SPDX-License-Identifier: MIT

import EventLoop
import OppiSystem
import OppiTerminal
import TestSupport
import Testing

@testable import Oppi
@testable import OppiModel

/// The texts of a watch about decisions by a rule and about queued prompts.
@Suite struct ConsoleWatchOutputTests {
  private static func output(isPrivate: Bool) throws -> ConsoleWatchOutput {
    let policy = OutputPolicy(
      options: GlobalOptions(),
      environment: [:],
      destination: .init(isOutputTerminal: false, isErrorTerminal: false, width: nil)
    )
    let output = Output(policy: policy, on: try EventLoop()) { _, _ in }
    return ConsoleWatchOutput(output: output, isPrivate: isPrivate) { .noon }
  }

  private static func row(_ request: HumanRequest) -> ListedRequest {
    ListedRequest(
      request,
      of: FleetLife.serverID(1),
      at: RequestPlace(server: "studio", sessionID: "S"),
      listedAt: .noon
    )
  }

  private static func call() throws -> HumanRequest {
    let json: JSONValue = [
      "id": "r", "sessionId": "S", "tool": "bash", "displaySummary": "git push",
      "input": ["command": "git push"] as JSONValue,
    ]
    return .permission(try #require(PermissionRequest(json: json)))
  }

  private static func news(_ state: QueuedPrompt.State) throws -> WatchOutbox.News {
    var prompt = QueuedPrompt(
      key: try #require(OutboxKey("nightly")),
      target: .demo(on: FleetLife.serverID(1)),
      content: Prompt("secret plan", clientTurnID: "turn-1"),
      createdAt: .ago(60)
    )
    prompt.isKeyKept = true
    prompt.expiresAt = .noon
    prompt.state = state
    return WatchOutbox.News(step: .tried(DeliverQueued.Attempt(prompt: prompt)), at: .noon)
  }

  @Test("only a queued prompt that was not delivered has a notification, which says why")
  func queued() throws {
    let output = try Self.output(isPrivate: false)
    for (state, summary) in [
      (QueuedPrompt.State.unknown, "Delivery of a queued prompt is unknown"),
      (.expired, "A queued prompt expired before delivery"),
    ] {
      let note = try #require(output.notification(of: try Self.news(state)))
      #expect(note.summary == summary && note.tag == "outbox/nightly")
      #expect(note.body.hasPrefix("secret plan\n"), "\(note)")
      let hidden = try Self.output(isPrivate: true).notification(of: try Self.news(state))
      #expect(hidden?.summary == summary && hidden?.body == "")
    }
    for state in [QueuedPrompt.State.waiting(retryAt: nil), .delivered(.queued)] {
      #expect(output.notification(of: try Self.news(state)) == nil)
    }
  }

  @Test("a denial by a rule names the rule and the request; in private, only the rule")
  func denial() throws {
    let row = Self.row(try Self.call())
    for isPrivate in [false, true] {
      let output = try Self.output(isPrivate: isPrivate)
      let results: [Result<DecisionOutcome, any Error>] = [
        .success(.decided), .success(.tooLate), .failure(OppiError(.usage, "no")),
      ]
      for result in results {
        let (_, body) = output.note(onDenialOf: row, result)
        #expect(body.contains("git push") != isPrivate, "\(result)")
      }
      let denied = output.note(onDenialOf: row, .success(.decided))
      #expect(denied.title == "Denied by notify.deny-after")
      let late = output.note(onDenialOf: row, .success(.tooLate))
      #expect(!late.title.contains("notify.deny-after"), "another one decided it")
    }
  }
}
