// SPDX-License-Identifier: MIT

/// How much a page of help says.
public enum HelpForm: Sendable, Equatable {
  /// The page of `-h`: summary, usage, commands and options.
  case short

  /// The page of `--help`: all there is.
  case long
}
