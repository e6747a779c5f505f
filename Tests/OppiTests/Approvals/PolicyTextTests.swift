// SPDX-License-Identifier: MIT

import OppiTerminal
import Testing

@testable import Oppi
@testable import OppiModel

@Suite struct PolicyTextTests {
  private func lines(_ fallback: String, _ rules: JSONValue...) -> [String] {
    let policy = ServerPolicy(fallback: fallback, rules: rules.compactMap(ServerPolicy.Rule.init))
    return PolicyText.lines(of: policy).map(\.plain)
  }

  @Test("the fallback is stated in words, and a value of a newer server as it is")
  func fallback() {
    #expect(lines("allow") == ["Without a matching rule, a tool call is allowed.", "no rules"])
    #expect(lines("ask")[0].hasSuffix("is held until you approve it."))
    #expect(lines("deny")[0].hasSuffix("is denied.") && lines("log")[0].hasSuffix("is log."))
  }

  @Test("a rule names its decision, call, scope, source and expiry")
  func rule() {
    let rules = lines(
      "allow",
      ["id": "1", "tool": "bash", "decision": "deny", "scope": "global", "label": "Block sudo"],
      [
        "id": "2", "decision": "allow", "scope": "session", "sessionId": "S", "source": "learned",
        "label": "Allow git push", "expiresAt": 0,
      ]
    )
    #expect(rules[1] == "✗ denied: bash: Block sudo  global")
    #expect(
      rules[2].hasPrefix("✓ allowed: any tool: Allow git push  session S, learned, expires at")
    )
  }

  @Test("a list of rules is bounded, and says how many are left out")
  func bounded() {
    let json: [JSONValue] = (0..<203).map { ["id": .string("r\($0)"), "decision": "allow"] }
    let policy = ServerPolicy(fallback: "allow", rules: json.compactMap(ServerPolicy.Rule.init))
    let lines = PolicyText.lines(of: policy).map(\.plain)
    #expect(lines.count == 202 && lines.last == "3 more rules")
  }
}
