// SPDX-License-Identifier: MIT

/// A command line that help shows, with what it does.
public struct CommandExample: Sendable, Equatable {
  /// The line as it is typed, from the program's name on.
  public let line: String

  /// What the line does, imperative, without a full stop.
  public let explanation: String

  /// Creates an example.
  public init(_ line: String, _ explanation: String) {
    self.line = line
    self.explanation = explanation
  }
}
