// SPDX-License-Identifier: MIT

/// What the completion scripts are told.
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
  /// One line a candidate: the value, a tab, the description. Or one line `:files` or
  /// `:directories`. A candidate that would break its line is left out.
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

  /// What the word means; may be empty.
  public let description: String

  /// Creates a candidate.
  public init(_ value: String, _ description: String = "") {
    self.value = value
    self.description = description
  }
}
