// SPDX-License-Identifier: MIT

import OppiModel

/// A question of an extension, outside the conversation.
struct Dialog: Sendable {
  let request: JSONValue

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
