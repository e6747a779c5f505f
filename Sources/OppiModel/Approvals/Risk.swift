// SPDX-License-Identifier: MIT

/// The worst that a tool call may do, judging by its text: advice for sorting and wording, never a
/// decision.
///
/// It depends only on tool, input and reason. A command can hide its effect, so a low risk
/// guarantees nothing.
package enum Risk: Int, Sendable, Comparable, CaseIterable {
  /// Reads data.
  case read
  /// Changes data, or runs an unknown program.
  case write
  /// Sends data elsewhere.
  case exfiltration
  /// Removes data, possibly permanently.
  case destructive
  /// Exceeds the task: other privileges, secrets, remote code, the system.
  case high

  /// Whether it may do permanent harm.
  package var isHigh: Bool { self >= .destructive }

  package var word: String { String(describing: self) }

  package static func < (first: Risk, second: Risk) -> Bool { first.rawValue < second.rawValue }

  /// Judges a complete call; the request limits its length.
  init(tool: String, input: JSONValue, reason: String) {
    self = max(Self.ofTool(tool, input), Self.ofReason(reason))
  }

  private static func ofTool(_ tool: String, _ input: JSONValue) -> Risk {
    switch tool {
    case "bash": ofCommand(input["command"].text(.content) ?? "")
    case "read", "ls", "grep", "find", "todo", "ask", "web_search", "web_fetch": read
    case "write", "edit": ShellRisk.isSensitive(input["path"].text(.content) ?? "") ? high : write
    case _ where tool.hasPrefix("policy."): high
    default: write
    }
  }

  /// Hidden characters in a command are meant to deceive.
  private static func ofCommand(_ command: String) -> Risk {
    RevealedText(command).escapeCount > 0 ? high : ShellRisk.of(command)
  }

  /// A server's reason names the rule that the call matched.
  private static func ofReason(_ reason: String) -> Risk {
    let reason = LowercasedText(reason)
    return reasons.first { words, _ in reason.contains(anyOf: words) }?.risk ?? read
  }

  /// Highest risk first: the first match counts.
  private static let reasons: [(words: [String], risk: Risk)] = [
    (["sudo", "credential", "secret", "private key", "policy", "to shell", "to a shell"], high),
    (["delete", "destroy", "force", "wipe", "drop "], destructive),
    (["push", "publish", "upload", "ssh", "scp", "transfer"], exfiltration),
  ]
}
