// SPDX-License-Identifier: MIT

/// What an agent does in answer to a prompt.
struct Script: Sendable {
  /// One thing after another.
  enum Step: Sendable {
    /// A message of the model; the results of its calls are in before the next step.
    case say(thinking: String = "", text: String = "", calls: [ScriptedCall] = [])
    /// A message about the result of the last call.
    case report(@Sendable (ToolResult) -> String)
    /// A failure of the model in place of a message.
    case fail(thinking: String, error: String)
    /// The run ends and another one begins.
    case retry(error: String)
    /// The other run did better.
    case recover
    /// The agent takes no prompt at all; nothing follows.
    case refuse(error: String)
  }

  /// The script is played where one of these stands in the prompt, in whole words of any case.
  let words: [String]
  let steps: [Step]

  /// The first script that a prompt names, or the default one.
  static func matching(_ prompt: String) -> Script {
    let words = prompt.lowercased().split { !$0.isLetter }.joined(separator: " ")
    return table.first { script in
      script.words.contains { " \(words) ".contains(" \($0) ") }
    } ?? standard
  }
}
