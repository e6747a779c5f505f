// SPDX-License-Identifier: MIT

/// One occurrence of an argument on a command line.
struct ArgumentMatch: Sendable {
  /// The row that the occurrence belongs to.
  let argument: ArgumentSpec

  /// The argument's name as the user wrote it, such as `-n`, or the placeholder of a positional.
  let written: String

  /// The word that is the value; empty for a switch.
  var text = ""

  /// Whether the switch was written as `--no-name`.
  var isNegated = false

  /// Reads the value, naming the argument and the word in the error.
  func value<Value: ArgumentValue>() throws(UsageError) -> Value {
    do {
      return try Value(argument: text)
    } catch {
      throw UsageError(
        .badValue(argument: written, value: text, reason: error.message),
        hint: Suggestions.hint(for: text, among: argument.choices)
      )
    }
  }
}
