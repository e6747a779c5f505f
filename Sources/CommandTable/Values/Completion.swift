// SPDX-License-Identifier: MIT

/// What a shell offers for the value of an argument.
public enum Completion: Sendable, Equatable {
  /// Nothing: the value is free text.
  case none

  /// File names, completed by the shell itself.
  case file

  /// Folder names, completed by the shell itself.
  case directory

  /// These words.
  case choices([String])

  /// Words known only at run time, asked for by kind, such as `workspace`.
  case dynamic(String)
}
