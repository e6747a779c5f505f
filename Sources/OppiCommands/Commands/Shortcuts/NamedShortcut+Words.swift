// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel

/// A shortcut for people and for programs.
extension NamedShortcut {
  /// What a run does beside asking, in words.
  var manner: String {
    var words: [String] = []
    if shortcut.readsInput { words.append("reads input") }
    if shortcut.conversation == .same { words.append("same session") }
    if shortcut.isWaiting { words.append("waits") }
    if shortcut.isQueueing {
      words.append("queues" + (shortcut.expiry?.argumentText.map { " for \($0)" } ?? ""))
    }
    if shortcut.ending == .stop { words.append("ends the session") }
    return words.joined(separator: ", ")
  }

  /// A command line that runs it, with a place for each value.
  var example: String {
    "oppi run \(name.text)" + needed.map { " --var \($0)=..." }.joined()
  }

  static let shape: JSONShape<NamedShortcut> = JSONShape(
    [
      .member("name", "Its name") { .string($0.name.text) },
      .member("needs", "The placeholders that a run must set") {
        .array($0.needed.map(JSONValue.string))
      },
    ] + Shortcut.shape.members { $0.shortcut }
  )
}
