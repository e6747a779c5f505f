// SPDX-License-Identifier: MIT

/// A line of status that an extension of the agent keeps up to date.
package struct ExtensionStatus: Sendable, Equatable {
  /// What the extension calls the line.
  package let key: String
  package var text: String

  package init(key: String, text: String) {
    self.key = key
    self.text = text
  }
}
