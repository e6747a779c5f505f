// SPDX-License-Identifier: MIT

import OppiModel

struct Script: Sendable {
  enum Step: Sendable {
    /// Sends a message of the model and waits for the results of its calls.
    case say(thinking: String = "", text: String = "", calls: [ScriptedCall] = [])
    /// Sends a message about the result of the last call.
    case report(@Sendable (ToolResult) -> String)
    /// Fails instead of sending a message.
    case fail(thinking: String, error: String)
    /// Shows a dialog; its answer becomes the result.
    case show(Dialog)
    case notify(JSONObject)
    /// Ends the run and, after a pause, starts retry number `attempt`.
    case retry(error: String, attempt: Int = 1)
    /// Reports that the retry succeeded.
    case recover(attempt: Int = 1)
    /// Reports, at the end of the run, that all retries failed.
    case giveUp(error: String, attempt: Int)
    /// Rejects the prompt, before or some time after its confirmation; must be the first step.
    case refuse(error: String, isLate: Bool = false)
  }

  /// The words that select the script: whole words of the prompt, in any case.
  let words: [String]
  /// The effect for help, in the third person.
  let effect: String
  let steps: [Step]

  /// Returns the first script that a prompt selects, or the default of the manner.
  static func matching(_ prompt: String, manner: FakeServer.Manner) -> Script {
    let words = prompt.lowercased().split { !$0.isLetter }.joined(separator: " ")
    let scripts = manner == .guide ? table + courtesies : table
    let match = scripts.first { script in
      script.words.contains { " \(words) ".contains(" \($0) ") }
    }
    return match ?? (manner == .guide ? guidance : standard)
  }
}
