// SPDX-License-Identifier: MIT

/// A word that completion offers.
public struct CompletionCandidate: Sendable, Equatable {
  /// The whole word as the program would receive it, unquoted.
  public let value: String

  /// What the word means; may be empty.
  public let description: String

  /// Creates a candidate.
  public init(_ value: String, _ description: String = "") {
    self.value = value
    self.description = description
  }
}
