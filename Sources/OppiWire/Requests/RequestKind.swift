// SPDX-License-Identifier: MIT

import OppiText

/// What an agent asks of a human.
package enum RequestKind: Sendable, Hashable {
  case permission
  /// Questions with choices, several of which may be allowed, and with texts.
  case ask
  /// The choice of one option.
  case select
  /// Yes or no.
  case confirm
  /// A line of text.
  case input
  /// A longer text.
  case editor
  /// A kind of a newer server.
  case other(String)

  private static let named = Dictionary(
    uniqueKeysWithValues: [permission, ask, select, confirm, input, editor].map { ($0.word, $0) }
  )

  package init(_ word: String) {
    self = Self.named[word] ?? .other(word.safeLine(limit: 40))
  }

  /// The name in JSON, which for dialogs is the protocol's own.
  package var word: String {
    switch self {
    case .permission: "permission"
    case .ask: "ask"
    case .select: "select"
    case .confirm: "confirm"
    case .input: "input"
    case .editor: "editor"
    case .other(let word): word
    }
  }
}
