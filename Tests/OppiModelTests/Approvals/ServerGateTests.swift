// SPDX-License-Identifier: MIT

import Testing

@testable import OppiModel

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
