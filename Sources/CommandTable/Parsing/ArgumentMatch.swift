// SPDX-License-Identifier: MIT

/// One occurrence of an argument on a command line.
struct ArgumentMatch: Sendable {
  let argument: ArgumentSpec

  /// The argument's name as the user wrote it, such as `-n`, or the placeholder of a positional.
  let written: String

  /// The value; empty for a switch.
  var text = ""

  /// Whether the switch was written as `--no-name`.
  var isNegated = false

  /// Parses the value; an error names the argument and the value.
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
