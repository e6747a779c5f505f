// SPDX-License-Identifier: MIT

import OppiSystem
import OppiTerminal
import TestSupport
import Testing

@testable import Oppi
@testable import OppiClient
@testable import OppiModel
@testable import OppiPrompts
@testable import OppiTestSupport
@testable import OppiText
@testable import OppiWire

/// The texts of a watch about decisions by a rule and about queued prompts.
@Suite struct WatchTextsTests {
  private static func line(_ state: QueuedPrompt.State) throws -> FlushLine {
    var prompt = QueuedPrompt(
      key: try #require(OutboxKey("nightly")),
      target: .demo(on: Fingerprint.sample(1)),
      content: Prompt("secret plan", clientTurnID: "turn-1"),
      createdAt: .ago(60)
    )
    prompt.isKeyKept = true
    prompt.expiresAt = .noon
    prompt.state = state
    return FlushLine(step: .tried(DeliverQueued.Attempt(prompt: prompt)), at: .noon)
  }

  @Test("only a queued prompt that was not delivered has a notification, which says why")
  func queued() throws {
    for (state, summary) in [
      (QueuedPrompt.State.unknown, "Delivery of a queued prompt is unknown"),
      (.expired, "A queued prompt expired before delivery"),
    ] {
      let note = try #require(try Self.line(state).notification(isPrivate: false))
      #expect(note.summary == summary && note.tag == "outbox/nightly")
      #expect(note.body.hasPrefix("secret plan\n"), "\(note)")
      let hidden = try Self.line(state).notification(isPrivate: true)
      #expect(hidden?.summary == summary && hidden?.body == "")
    }
    for state in [QueuedPrompt.State.waiting(retryAt: nil), .delivered(.queued)] {
      #expect(try Self.line(state).notification(isPrivate: false) == nil)
    }
  }

  @Test("the results of several deliveries wait for the end of quiet hours")
  func kept() throws {
    var outbox = WatchOutbox()
    for state in [QueuedPrompt.State.unknown, .delivered(.queued), .expired] {
      _ = outbox.take(expired: [try Self.line(state)])
    }
    #expect(outbox.takeNews().count == 2)
    #expect(outbox.takeNews().isEmpty)
  }

  @Test("a denial by a rule names the rule and the request; in private, only the rule")
  func denial() {
    let (call, reply) = (HumanRequest.call("r", "git push"), RequestReply.decision(.deny))
    for isPrivate in [false, true] {
      let rules = WatchRules(isPrivate: isPrivate)
      func note(_ result: Result<DecisionOutcome, any Error>) -> (title: String, body: String) {
        let texts = rules.result(of: reply, to: call, result, isAutomatic: true, at: .noon)
        return (texts.title, texts.body)
      }
      let results: [Result<DecisionOutcome, any Error>] = [
        .success(.decided), .success(.tooLate), .failure(OppiError(.usage, "no")),
      ]
      for result in results {
        #expect(note(result).body.contains("git push") != isPrivate, "\(result)")
      }
      #expect(note(.success(.decided)).title == "Denied by notify.deny-after")
      let late = note(.success(.tooLate)).title
      #expect(!late.contains("notify.deny-after"), "another one decided it")
    }
  }

  @Test("the line after a press has the request, and in private only its result")
  func press() {
    let (call, reply) = (HumanRequest.call("r", "git push"), RequestReply.decision(.allow))
    for (isPrivate, text) in [(false, "Approved: git push"), (true, "Approved")] {
      let rules = WatchRules(isPrivate: isPrivate)
      let report = rules.result(of: reply, to: call, .success(.decided), at: .noon).line
      guard case .lines(let lines) = report.terminal else {
        Issue.record("no line")
        continue
      }
      #expect(lines.map(\.plain) == [text])
      #expect(report.documents.map { $0["state"].string } == ["approved"])
    }
  }
}
