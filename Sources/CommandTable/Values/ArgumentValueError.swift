// SPDX-License-Identifier: MIT

/// Why a word cannot be the value of an option or a positional argument.
public struct ArgumentValueError: Error, Equatable {
  /// What would have been right, in words that follow the option's name: `expects a whole number`.
  public let message: String

  /// Creates an error whose message begins with a verb and ends without a full stop.
  public init(_ message: String) {
    self.message = message
  }
}
