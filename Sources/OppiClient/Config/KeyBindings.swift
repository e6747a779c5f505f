// SPDX-License-Identifier: MIT

package import CommandTable
package import OppiTerminal
import OppiText

/// The keys that the user has chosen for actions of the console, such as `reply=m,refresh=Ctrl-R`.
package struct KeyBindings: Sendable, Equatable {
  package struct Binding: Sendable, Equatable {
    package let action: String
    package let key: Key
    /// The key as it is shown.
    package let name: String
  }

  package private(set) var all: [Binding] = []

  package init() {}

  /// `nil` if an action has no key, or two actions have the same.
  init?(_ text: String) {
    for part in text.split(separator: ",") {
      let words = part.split(separator: "=", maxSplits: 1).map { String($0).trimmed }
      guard words.count == 2, !words[0].isEmpty, let key = Self.key(named: words[1]),
        !all.contains(where: { $0.action == words[0] || $0.key == key })
      else { return nil }
      all.append(Binding(action: words[0], key: key, name: words[1]))
    }
  }

  /// The keys that the console needs everywhere.
  private static let reserved: Set<Character> = ["c", "z", "l"]

  /// A character, or a letter with Ctrl or Alt, as in `Ctrl-R`.
  private static func key(named name: String) -> Key? {
    let name = name.unicodeScalars
    guard let last = name.last, last.isASCII, (0x21...0x7E).contains(last.value) else { return nil }
    let (start, letter) = (String(name.dropLast()), Character(last))
    switch start {
    case "": return .text(String(letter))
    case "Alt-": return .modified(.text(letter.lowercased()), .alt)
    case "Ctrl-":
      let letter = Character(letter.lowercased())
      guard letter.isLetter, !reserved.contains(letter) else { return nil }
      return .control(letter)
    default: return nil
    }
  }
}

extension KeyBindings: ArgumentValue {
  package static let placeholder = "KEYS"

  package init(argument: String) throws(ArgumentValueError) {
    guard let bindings = KeyBindings(argument) else {
      throw ArgumentValueError(
        "expects actions with a key of their own, such as 'reply=m,refresh=Ctrl-R'"
      )
    }
    self = bindings
  }
}

extension ConfigFile.Settings {
  /// The keys that the user has chosen for actions of the console.
  ///
  /// - Throws: `OppiError` if the setting is invalid.
  package func keyBindings() throws(OppiError) -> KeyBindings {
    try value(of: .keys) ?? KeyBindings()
  }
}
