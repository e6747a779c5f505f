// SPDX-License-Identifier: MIT

import OppiModel

/// A question of an extension, outside the conversation.
struct Dialog: Sendable {
  let request: JSONValue

  /// The question of Pi's example of a gate before a dangerous command.
  static func gate(before command: String) -> Dialog {
    Dialog(
      request: [
        "method": "select",
        "title": .string("⚠️ Dangerous command:\n\n  \(command)\n\nAllow?"),
        "options": ["Yes", "No"],
        "extensionScopeId": "npm:permission-gate",
        "extensionDisplayName": "Permission Gate",
      ]
    )
  }

  static let confirmation = Dialog(
    request: ["method": "confirm", "title": "Proceed?", "message": "This changes files"]
  )
  static let selection = Dialog(
    request: ["method": "select", "title": "Pick one", "options": ["Red", "Green"]]
  )
  static let input = Dialog(
    request: ["method": "input", "title": "Your name", "placeholder": "name"]
  )
  static let editor = Dialog(
    request: ["method": "editor", "title": "Commit message", "prefill": "Fix the bug\n"]
  )
}
