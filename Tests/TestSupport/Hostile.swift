// SPDX-License-Identifier: MIT

package import OppiText

/// Texts with terminal control sequences, and messages that contain them.
package enum Hostile {
  package static let texts = [
    "\u{1B}[2J\u{1B}[31mred", "\u{1B}]0;title\u{07}", "\u{1B}]52;c;ZXZpbA==\u{1B}\\", "\u{9B}6n",
    "\u{90}$q\u{9C}", "\u{1B}P+q544e\u{1B}\\", "\u{0}\u{7}\u{8}\u{B}\u{C}\u{E}\u{F}\u{7F}",
    "over\rwritten", "\u{202E}desrever\u{2066}", "a\u{2028}b\u{2029}c", "\u{200B}\u{FEFF}\u{AD}",
    "\u{E0041}\u{E007F}", "\u{FFFD}\u{FFFF}", "日本語😀👩‍💻👍🏽", "e\u{301}\u{301}\u{301}",
    "tab\tand\nline", "\u{1B}]8;;http://x\u{1B}\\link", "\u{1B}", "Block \u{1B}[31m", "",
  ]

  package static let text = texts.joined(separator: " ")

  /// The members that determine the meaning of a message.
  private static let kept: Set = [
    "type", "sessionId", "parentSessionId", "toolCallId", "mode", "role", "status", "method",
  ]

  /// Appends the text to all other strings of a message.
  package static func tainted(_ value: JSONValue, with text: String) -> JSONValue {
    switch value {
    case .string(let own): .string(own + text)
    case .array(let elements): .array(elements.map { tainted($0, with: text) })
    case .object(let members):
      .object(
        JSONObject(
          members.map { name, member in
            kept.contains(name) || name == "id"
              ? (name, member) : (name, tainted(member, with: text))
          }
        )
      )
    default: value
    }
  }
}
