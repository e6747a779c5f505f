// SPDX-License-Identifier: MIT

import OppiModel

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
    /// A question beside the conversation, whose answer counts as a result.
    case show(Dialog)
    /// A message to those who watch, beside the conversation.
    case notify(JSONObject)
    /// The run ends and another one begins, as the attempt of this number.
    case retry(error: String, attempt: Int = 1)
    /// The other run did better.
    case recover(attempt: Int = 1)
    /// The other runs did no better.
    case giveUp(error: String, attempt: Int)
    /// The agent takes no prompt at all, and says so at once or a while later; nothing follows.
    case refuse(error: String, isLate: Bool = false)
  }

  /// The words that select the script, in any case and as whole words of the prompt.
  let words: [String]
  /// What the agent does, in the third person, for help.
  let effect: String
  let steps: [Step]

  /// Returns the first script that a prompt selects, or a manner's own one.
  static func matching(_ prompt: String, manner: LoopbackServer.Manner = .standard) -> Script {
    let words = prompt.lowercased().split { !$0.isLetter }.joined(separator: " ")
    let scripts = manner == .guide ? table + courtesies : table
    let match = scripts.first { script in
      script.words.contains { " \(words) ".contains(" \($0) ") }
    }
    return match ?? (manner == .guide ? guidance : standard)
  }
}
