// SPDX-License-Identifier: MIT

/// The reply to a completion script.
public enum CompletionAnswer: Sendable, Equatable {
  /// Offer these words and no others.
  case candidates([CompletionCandidate])

  /// Let the shell complete file names.
  case files

  /// Let the shell complete folder names.
  case directories
}

extension CompletionAnswer {
  /// The answer as `__complete` prints it.
  ///
  /// One line per candidate: value, tab, description; or the single line `:files` or
  /// `:directories`. Candidates that contain control characters are omitted.
  public var text: String {
    switch self {
    case .candidates(let candidates):
      candidates.filter { !$0.value.contains(where: \.isControl) }
        .map { "\($0.value)\t\($0.description.filter { !$0.isControl })\n" }
        .joined()
    case .files:
      ":files\n"
    case .directories:
      ":directories\n"
    }
  }
}

extension Character {
  fileprivate var isControl: Bool {
    unicodeScalars.contains { $0.properties.generalCategory == .control }
  }
}

/// A word that completion offers.
public struct CompletionCandidate: Sendable, Equatable {
  /// The whole word as the program would receive it, unquoted.
  public let value: String

  /// The description; may be empty.
  public let description: String

  /// Creates a candidate.
  public init(_ value: String, _ description: String = "") {
    self.value = value
    self.description = description
  }
}
