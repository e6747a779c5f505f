// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import OppiModel

/// The record of a decision or an answer that this machine sent.
@Suite struct SentReplyTests {
  private static let now = Timestamp(seconds: 1_000)

  private static let call = HumanRequest.call("p1", "git push")

  private static func question(_ text: String = "Go on?") -> HumanRequest {
    .question(
      UserQuestion(id: "q1", method: "select", body: ["title": .string(text), "options": ["Yes"]])
    )
  }

  private static func record(
    _ reply: RequestReply,
    to request: HumanRequest,
    outcome: DecisionOutcome? = .decided
  ) -> SentReply {
    var record = SentReply(reply, to: request, in: "S", at: now)
    record.end(outcome, at: now)
    return record
  }

  @Test("a record names the reply, the result and what was shown, and survives the file")
  func members() throws {
    let record = Self.record(.decision(.allowForSession), to: Self.call, outcome: .unknown)
    #expect(record.reply == "allow for the session" && record.result == "unknown")
    #expect(record.shown == "bash\ngit push" && record.requestID == "p1")
    #expect(record.digest == SHA256.hex(of: Array("bash\ngit push".utf8)))
    #expect(Self.record(.decision(.deny), to: Self.call, outcome: nil).result == "failed")
    let json = SentReply.shape.json(of: record)
    #expect(SentReply.shape.record(from: json) == record)
  }

  @Test("an option of the server is named, and typed text is never recorded")
  func secrets() {
    #expect(Self.record(.answer(.value("Yes")), to: Self.question()).reply == "Yes")
    for answer in [
      QuestionAnswer.value("hunter2"), .choices(["a": .text("hunter2")]),
    ] {
      let record = Self.record(.answer(answer), to: Self.question())
      #expect(!SentReply.shape.json(of: record).text().contains("hunter2"))
    }
  }

  @Test(
    "only a decision and the yes of a confirmation allow; cancelling and No of Yes and No deny",
    arguments: [
      ("select", ["Yes", "No"], .value("No"), .deny),
      ("select", ["Yes", "No"], .value("Yes"), .answer),
      ("select", ["Yes", "No", "Later"], .value("No"), .answer),
      ("input", [], .value("No"), .answer),
      ("select", ["Yes", "No"], .cancelled, .deny), ("confirm", [], .confirmed(true), .allow),
      ("confirm", [], .confirmed(false), .deny),
    ] as [(String, [String], QuestionAnswer, RequestReply.Effect)]
  )
  func effects(
    method: String,
    options: [String],
    answer: QuestionAnswer,
    effect: RequestReply.Effect
  ) {
    let body: JSONValue = ["title": "Go on?", "options": .array(options.map(JSONValue.string))]
    let question = HumanRequest.question(UserQuestion(id: "q", method: method, body: body))
    #expect(Self.record(.answer(answer), to: question).effect == effect)
  }

  @Test("calls are allowed or denied")
  func decisions() {
    for decision in [PermissionDecision.allow, .allowForSession, .allowEverywhere] {
      #expect(Self.record(.decision(decision), to: Self.call).effect == .allow)
    }
    #expect(Self.record(.decision(.deny), to: Self.call).effect == .deny)
  }

  @Test("a long text is cut, and the digest is that of all of it")
  func bounded() {
    let text = String(repeating: "x", count: 100_000)
    let record = Self.record(.answer(.value("Yes")), to: Self.question(text))
    #expect(record.shown.utf8.count <= SentReply.shownLimit)
    #expect(record.digest == SHA256.hex(of: Array("\(text)\nYes".utf8)))
  }

  @Test("an entry of the server's record is the same decision if call, session and time agree")
  func same() throws {
    func entry(_ change: JSONObject = [:]) throws -> AuditEntry {
      let own: JSONObject = [
        "id": "e", "timestamp": 1_000_500, "sessionId": "S", "tool": "bash",
        "displaySummary": "git push", "decision": "allow", "resolvedBy": "user",
      ]
      return try #require(AuditEntry(json: .object(own.adding(change))))
    }
    let record = Self.record(.decision(.allow), to: Self.call)
    #expect(record.isRecorded(as: try entry()))
    // The clocks of the server and of this machine may differ by two minutes.
    for (milliseconds, isSame) in [
      (879_999, false), (880_000, true), (1_120_000, true), (1_120_001, false),
    ] {
      let other = try entry(["timestamp": .integer(Int64(milliseconds))])
      #expect(record.isRecorded(as: other) == isSame, "\(milliseconds)")
    }
    for change: JSONObject in [
      ["sessionId": "T"], ["tool": "edit"], ["displaySummary": "git pull"], ["decision": "deny"],
      ["timestamp": 1_200_000],
    ] {
      #expect(!record.isRecorded(as: try entry(change)), "\(change)")
    }
  }
}
