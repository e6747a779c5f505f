// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel

/// The texts and the JSON of a shortcut.
extension NamedShortcut {
  /// What a run does besides sending the prompt.
  var manner: String {
    var words: [String] = []
    if shortcut.readsInput { words.append("reads input") }
    if let condition = shortcut.condition { words.append("runs if its check \(condition.words)") }
    if shortcut.conversation == .same { words.append("same session") }
    if shortcut.isWaiting { words.append("waits") }
    if shortcut.isQueueing {
      words.append("queues" + (shortcut.expiry?.argumentText.map { " for \($0)" } ?? ""))
    }
    if shortcut.ending == .stop { words.append("ends the session") }
    if let then = shortcut.then { words.append("then \(then.text)") }
    return words.joined(separator: ", ")
  }

  /// A command line that runs the shortcut, with `--var` for each value that it needs.
  var example: String {
    "oppi run \(name.text)" + needed.map { " --var \($0)=..." }.joined()
  }

  static let shape: JSONShape<NamedShortcut> = JSONShape(
    [
      .text("name", "Its name") { $0.name.text },
      .member("needs", "The placeholders that a run must set") {
        .array($0.needed.map(JSONValue.string))
      },
    ] + Shortcut.shape.members { $0.shortcut }
  )
}

extension RunCondition {
  fileprivate var words: String {
    switch rule {
    case .succeeds: "succeeds"
    case .nonempty: "has output"
    case .changed: "has changed"
    }
  }
}
