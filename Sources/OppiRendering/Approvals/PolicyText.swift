// SPDX-License-Identifier: MIT

package import OppiModel

/// A server's policy in words.
package enum PolicyText {
  /// The rules that are listed; a server has few.
  private static let limit = 200

  package static func lines(of policy: ServerPolicy) -> [StyledText] {
    let fallback = "Without a matching rule, a tool call is \(word(for: policy.fallback))."
    let rules = policy.rules.prefix(limit).map { line(of: $0) }
    let more = policy.rules.count - rules.count
    let rest = more > 0 ? [StyledText("\(more) more rules", .dim)] : []
    let none = rules.isEmpty ? [StyledText("no rules", .dim)] : []
    return [StyledText(fallback)] + rules + rest + none
  }

  /// The decision, the call, the scope and the expiry, on one line.
  package static func line(of rule: ServerPolicy.Rule) -> StyledText {
    var line = StyledText("\(mark(of: rule)) ")
    line.append(word(for: rule.decision))
    line.append(": \(rule.tool ?? "any tool"): \(rule.label)")
    line.append("  \(facts(of: rule).joined(separator: ", "))", .dim)
    return line
  }

  package static func detail(of rule: ServerPolicy.Rule) -> [StyledText] {
    [
      StyledText("\(rule.tool ?? "any tool"): \(rule.label)", .code),
      StyledText("\(mark(of: rule)) \(word(for: rule.decision))"),
      StyledText(facts(of: rule).joined(separator: ", "), .dim),
    ]
  }

  private static func facts(of rule: ServerPolicy.Rule) -> [String] {
    let place = rule.sessionID.map { "session \($0)" } ?? rule.scope
    let expiry = rule.expiresAt.map { "expires at \($0.iso8601) on the server's clock" }
    return [place, rule.source, expiry].compactMap(\.self).filter { !$0.isEmpty }
  }

  private static func mark(of rule: ServerPolicy.Rule) -> String {
    switch rule.decision {
    case "allow": "✓"
    case "deny": "✗"
    default: "?"
    }
  }

  private static func word(for decision: String) -> String {
    switch decision {
    case "allow": "allowed"
    case "deny": "denied"
    case "ask": "held until you approve it"
    default: decision
    }
  }
}
