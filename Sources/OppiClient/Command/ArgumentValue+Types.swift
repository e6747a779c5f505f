// SPDX-License-Identifier: MIT

package import CommandTable
import OppiModel
import OppiWire

extension ThinkingLevel: ArgumentValue {
  static var placeholder: String { "LEVEL" }
  static var choices: [String] { allCases.map(\.rawValue) }

  init(argument: String) throws(ArgumentValueError) {
    guard let level = ThinkingLevel(rawValue: argument) else {
      throw ArgumentValueError("expects \(ThinkingLevel.words)")
    }
    self = level
  }
}

extension OnAsk: ArgumentValue {}
extension OnLimit: ArgumentValue {}

extension RunCondition.Rule: ArgumentValue {}

/// The number of retries of a check.
package struct RetryCount: ArgumentValue, Equatable {
  package static let placeholder = "N"

  package let number: Int

  package init(argument: String) throws(ArgumentValueError) {
    guard let number = Int(argument), (0...AnswerChecks.retryLimit).contains(number) else {
      throw ArgumentValueError("expects a number from 0 to \(AnswerChecks.retryLimit)")
    }
    self.number = number
  }
}

extension Dollars: ArgumentValue {
  static var placeholder: String { "DOLLARS" }

  init(argument: String) throws(ArgumentValueError) {
    guard let amount = Dollars(argument), amount > .zero else {
      throw ArgumentValueError("expects an amount above 0 in dollars, such as 2.50")
    }
    self = amount
  }
}

extension Shortcut.Conversation: ArgumentValue {}

extension Shortcut.Ending: ArgumentValue {}

extension OutboxKey: ArgumentValue {
  static var placeholder: String { "KEY" }
  static var isIdentifier: Bool { true }

  init(argument: String) throws(ArgumentValueError) {
    guard let key = OutboxKey(argument) else {
      throw ArgumentValueError(
        "expects up to \(Self.lengthLimit) letters, digits and ._:@+- after a letter or a digit"
      )
    }
    self = key
  }
}

/// A session's id, a prefix of it, `last`, or `server/` before an id or prefix.
package struct SessionName: ArgumentValue, Equatable {
  package static let placeholder = "SESSION"
  package static let isIdentifier = true

  package var text: String

  package init(argument: String) throws(ArgumentValueError) {
    guard !argument.isEmpty else { throw ArgumentValueError("expects a session's id") }
    text = argument
  }
}

extension ShortcutName: ArgumentValue {
  static var placeholder: String { "NAME" }

  package init(argument: String) throws(ArgumentValueError) {
    guard let name = ShortcutName(argument) else {
      throw ArgumentValueError(
        "expects up to \(Self.lengthLimit) letters, digits, '_', '-' and '.' after a letter or a digit"
      )
    }
    self = name
  }

  var argumentText: String? { text }
}
