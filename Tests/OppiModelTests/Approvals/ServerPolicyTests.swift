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
