// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel
import OppiRendering
import OppiSystem

/// A shortcut with its name, as a row of text or JSON.
struct ShortcutRow {
  let name: ShortcutName
  let shortcut: Shortcut

  /// What a run does besides sending the prompt.
  var manner: String {
    var words: [String] = []
    if shortcut.readsInput { words.append("reads input") }
    if shortcut.conversation == .same { words.append("same session") }
    if shortcut.isWaiting { words.append("waits") }
    if shortcut.isQueueing {
      words.append("queues" + (shortcut.expiry?.argumentText.map { " for \($0)" } ?? ""))
    }
    if shortcut.ending == .stop { words.append("stops after") }
    return words.joined(separator: ", ")
  }

  /// The placeholders that a run must set.
  var needed: [String] {
    shortcut.template.names.filter { name in
      shortcut.variables[name] == nil && name != PromptTemplate.input
    }
  }

  /// A command line that runs it, with an option for each required value.
  var example: String {
    "oppi run \(name.text)" + needed.map { " --var \($0)=..." }.joined()
  }

  static let shape: JSONShape<ShortcutRow> = JSONShape(
    [
      .member("name", "Its name") { .string($0.name.text) },
      .member("needs", "The placeholders that a run must set") {
        .array($0.needed.map(JSONValue.string))
      },
    ] + Shortcut.shape.members { $0.shortcut }
  )
}
