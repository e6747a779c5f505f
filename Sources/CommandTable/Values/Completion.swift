// SPDX-License-Identifier: MIT

/// The completion of an argument's value.
public enum Completion: Sendable, Equatable {
  /// No completion: free text.
  case none

  /// File names, completed by the shell itself.
  case file

  /// Folder names, completed by the shell itself.
  case directory

  case choices([String])

  /// Words of a kind known at run time, such as `workspace`.
  case dynamic(String)
}
