// SPDX-License-Identifier: MIT

/// A command that decides whether a shortcut runs.
package struct RunCondition: Sendable, Hashable {
  package enum Rule: String, Sendable, CaseIterable {
    /// Its exit status is 0.
    case succeeds
    /// It has output.
    case nonempty
    /// Its output differs from that of the last run that was not skipped.
    case changed
  }

  /// The placeholder for its output.
  package static let placeholder = "when"

  /// A command line for the shell.
  package var command: String
  package var rule: Rule

  package init(command: String, rule: Rule = .succeeds) {
    (self.command, self.rule) = (command, rule)
  }
}
