// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import OppiModel
@testable import OppiText
@testable import OppiWire

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
    "only a decision and the yes of a question for approval allow; its no and cancelling deny",
    arguments: [
      ("select", ["Yes", "No"], .value("No"), .deny),
      ("select", ["Yes", "No"], .value("Yes"), .allow),
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
    let question = HumanRequest.question(UserQuestion.sample(method, body))
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

  @Test("an entry about the same reply to the same request of the session is its result")
  func results() {
    func sent(_ id: String = "p1", in session: String = "S") -> SentReply {
      SentReply(.decision(.allow), to: .call(id, "git push"), in: session, at: Self.now)
    }
    func isResult(_ entry: SentReply, _ outcome: DecisionOutcome? = .decided) -> Bool {
      var entry = entry
      entry.end(outcome, at: Self.now.moved(by: .seconds(1)))
      return entry.isResult(of: sent())
    }
    #expect(isResult(sent()) && isResult(sent(), nil))
    #expect(!isResult(sent("p2")) && !isResult(sent(in: "T")))
    #expect(!sent().isResult(of: sent()), "its result is not known")
  }

  private static func entry(_ change: JSONObject = [:]) throws -> AuditEntry {
    let own: JSONObject = [
      "id": "e", "timestamp": 1_000_500, "sessionId": "S", "tool": "bash",
      "displaySummary": "git push", "decision": "allow", "resolvedBy": "user",
    ]
    return try #require(AuditEntry(json: .object(own.adding(change))))
  }

  @Test(
    "a call in several lines, with repeated spaces or hidden characters is the same in the file",
    arguments: [
      "if true; then\n    git push\n\tgit  tag x\nfi", "  ls",
      String(repeating: "a  ", count: 3000), String(repeating: "\u{202E}", count: 2000),
    ]
  )
  func sameInFile(command: String) throws {
    let record = Self.record(.decision(.allow), to: .call("p1", command))
    let stored = try #require(SentReply.shape.record(from: SentReply.shape.json(of: record)))
    for own in [record, stored] {
      #expect(own.isRecorded(as: try Self.entry(["displaySummary": .string(command)])))
      #expect(!own.isRecorded(as: try Self.entry(["displaySummary": .string("x" + command)])))
    }
  }

  @Test("an entry of the server's record is the same decision if call, session and time agree")
  func same() throws {
    let record = Self.record(.decision(.allow), to: Self.call)
    #expect(record.isRecorded(as: try Self.entry()))
    // The clocks of the server and of this machine may differ by two minutes.
    for (milliseconds, isSame) in [
      (879_999, false), (880_000, true), (1_120_000, true), (1_120_001, false),
    ] {
      let other = try Self.entry(["timestamp": .integer(Int64(milliseconds))])
      #expect(record.isRecorded(as: other) == isSame, "\(milliseconds)")
    }
    for change: JSONObject in [
      ["sessionId": "T"], ["tool": "edit"], ["displaySummary": "git pull"], ["decision": "deny"],
      ["timestamp": 1_200_000],
    ] {
      #expect(!record.isRecorded(as: try Self.entry(change)), "\(change)")
    }
  }
}

@Suite struct ServerPolicyTests {
  @Test("a rule is read as a server writes it")
  func rule() throws {
    let json: JSONValue = [
      "id": "JBjM5PWSiLp8", "tool": "bash", "decision": "allow", "scope": "session",
      "sessionId": "MMV4dx-z", "expiresAt": 1_795_219_427_288, "source": "learned",
      "executable": "rm", "label": "Allow rm -rf ./build", "pattern": "rm -rf ./build",
      "createdAt": 1_795_219_367_288,
    ]
    let rule = try #require(ServerPolicy.Rule(json: json))
    #expect(rule.id == "JBjM5PWSiLp8" && rule.tool == "bash" && rule.decision == "allow")
    #expect(rule.scope == "session" && rule.sessionID == "MMV4dx-z" && rule.isLearned)
    #expect(rule.label == "Allow rm -rf ./build")
    #expect(rule.expiresAt == Timestamp(milliseconds: 1_795_219_427_288))
  }

  @Test("a rule without an id is none, and other members may be missing or of another type")
  func incomplete() throws {
    #expect(ServerPolicy.Rule(json: ["label": "Allow all"]) == nil)
    let rule = try #require(ServerPolicy.Rule(json: ["id": "a", "pattern": "rm *", "tool": 1]))
    #expect(rule.label == "rm *" && rule.tool == nil && rule.expiresAt == nil && !rule.isLearned)
  }

  @Test("texts of a rule are bounded, and control characters in them are visible")
  func texts() throws {
    let long = "a\u{1B}[2J" + String(repeating: "b", count: 10_000)
    let json: JSONValue = ["id": "a", "label": .string(long), "decision": .string(long)]
    let rule = try #require(ServerPolicy.Rule(json: json))
    #expect(!rule.label.contains("\u{1B}") && rule.label.utf8.count < 5000)
    #expect(rule.decision.count <= 20)
  }

  @Test("the fallback is a word, or unknown")
  func fallback() {
    #expect(ServerPolicy.fallback(json: ["fallback": "ask"]) == "ask")
    #expect(ServerPolicy.fallback(json: ["fallback": 1]) == nil)
  }
}

/// Which entry of a server's record is about a request.
@Suite struct RecordedDecisionsTests {
  private static let listedAt = Timestamp(milliseconds: 100_000)

  private func request(_ summary: String = "git push") -> PermissionRequest {
    PermissionRequest(id: "p", sessionID: "S", tool: "bash", input: .null, summary: summary)
  }

  private func entry(
    at milliseconds: Int = 100_000,
    session: String = "S",
    tool: String = "bash",
    summary: String = "git push",
    decision: String = "allow",
    by: String = "user"
  ) throws -> AuditEntry {
    let json: JSONValue = [
      "id": "e", "timestamp": .integer(Int64(milliseconds)), "sessionId": .string(session),
      "tool": .string(tool), "displaySummary": .string(summary), "decision": .string(decision),
      "resolvedBy": .string(by),
    ]
    return try #require(AuditEntry(json: json))
  }

  private func found(_ record: [AuditEntry]) -> AuditEntry? {
    RecordedDecisions.entries(of: [request()], in: record, listedAt: Self.listedAt)["p"]
  }

  @Test("an entry about the same call of the same session is found")
  func same() throws {
    #expect(try found([entry()])?.isAllowed == true)
    #expect(try found([entry(decision: "deny")])?.isAllowed == false)
    #expect(try found([entry(session: "T")]) == nil)
    #expect(try found([entry(tool: "write")]) == nil)
    #expect(try found([entry(summary: "git push -f")]) == nil)
    #expect(found([]) == nil)
  }

  @Test("an entry that is older than the last list with the request is about another call")
  func age() throws {
    #expect(try found([entry(at: 99_750)]) != nil)
    #expect(try found([entry(at: 99_749)]) == nil)
  }

  @Test("of several entries that differ, none is taken")
  func ambiguous() throws {
    #expect(try found([entry(), entry(at: 100_001)]) != nil)
    #expect(try found([entry(), entry(decision: "deny")]) == nil)
    #expect(try found([entry(), entry(by: "policy")]) == nil)
  }

  @Test("a call with line breaks is compared as both are shown")
  func lines() throws {
    let text = "a\nb\u{1B}[1m"
    let entry = try entry(summary: text)
    let all = RecordedDecisions.entries(of: [request(text)], in: [entry], listedAt: Self.listedAt)
    #expect(all.count == 1)
  }
}
