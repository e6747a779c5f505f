// SPDX-License-Identifier: MIT

/// What a tool call may do at worst, as far as its words tell: advice for sorting and wording, and
/// never a decision.
///
/// It is a function of tool, input and reason alone. Words can hide what they do, so that a low risk
/// promises nothing.
package enum Risk: Int, Sendable, Comparable, CaseIterable {
  /// It looks at things.
  case read
  /// It changes things, or runs a program of which nothing is known.
  case write
  /// It sends things elsewhere.
  case exfiltration
  /// It takes things away that may not come back.
  case destructive
  /// It reaches beyond the work at hand: other rights, secrets, code from elsewhere, the machine.
  case high

  /// Whether it may do harm that stays.
  package var isHigh: Bool { self >= .destructive }

  /// The risk in a word.
  package var word: String { String(describing: self) }

  package static func < (first: Risk, second: Risk) -> Bool { first.rawValue < second.rawValue }

  /// Judges a call of which nothing was left out; the request bounds how long it may be.
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

  /// What is not to be seen in a command is there to deceive.
  private static func ofCommand(_ command: String) -> Risk {
    RevealedText(command).escapeCount > 0 ? high : ShellRisk.of(command)
  }

  /// Servers say in few words which of their rules a call has met.
  private static func ofReason(_ reason: String) -> Risk {
    let reason = LowercasedText(reason)
    return reasons.first { words, _ in reason.contains(anyOf: words) }?.risk ?? read
  }

  /// The gravest first.
  private static let reasons: [(words: [String], risk: Risk)] = [
    (["sudo", "credential", "secret", "private key", "policy", "to shell", "to a shell"], high),
    (["delete", "destroy", "force", "wipe", "drop "], destructive),
    (["push", "publish", "upload", "ssh", "scp", "transfer"], exfiltration),
  ]
}
