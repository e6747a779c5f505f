// SPDX-License-Identifier: MIT

/// A file, an environment variable or a member of an object with what it is for.
public struct HelpRow: Sendable, Equatable {
  /// The path or the name.
  public let term: String

  /// What it is for, without a full stop.
  public let meaning: String

  /// Creates a row.
  public init(_ term: String, _ meaning: String) {
    self.term = term
    self.meaning = meaning
  }
}
