// SPDX-License-Identifier: MIT

import OppiModel

/// The shortcuts that run one after the other, each after the success of the one before.
struct ShortcutChain: Sendable {
  /// The placeholder for the answer of the turn before.
  static let placeholder = "answer"
  /// The most shortcuts that follow each other.
  static let limit = 5
  /// The characters of an answer that are inserted.
  static let answerLimit = 64 << 10

  /// Checks before anything is sent that the chain is finite, and that each shortcut exists and
  /// has its values.
  ///
  /// - Parameters:
  ///   - next: The first shortcut that follows; `nil` for none.
  ///   - first: The shortcut that runs first; `nil` for a prompt without one.
  ///   - read: Reads a shortcut.
  /// - Throws: `ShortcutError.chainLoop`, `ShortcutError.chainTooLong`, `ShortcutError.missingValues`; what
  ///   `read` throws.
  static func check(
    _ next: ShortcutName?,
    after first: ShortcutName?,
    _ read: (ShortcutName) throws -> Shortcut
  ) throws {
    var names = first.map { [$0] } ?? []
    var follower = next
    var count = 0
    while let name = follower {
      guard !names.contains(name) else { throw ShortcutError.chainLoop(names + [name]) }
      count += 1
      guard count <= limit else { throw ShortcutError.chainTooLong(names + [name]) }
      names.append(name)
      let shortcut = try read(name)
      try checkValues(of: NamedShortcut(name: name, shortcut: shortcut))
      follower = shortcut.then
    }
  }

  /// Checks that the prompt of a shortcut needs no value but the answer.
  private static func checkValues(of named: NamedShortcut) throws(ShortcutError) {
    let takesAnswer = named.shortcut.template.names.contains(placeholder)
    _ = try ShortcutPrompt(of: named, with: takesAnswer ? [placeholder: ""] : [:])
  }
}
