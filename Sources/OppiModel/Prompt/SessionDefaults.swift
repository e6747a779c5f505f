// SPDX-License-Identifier: MIT

/// Settings of a new session for which no value was requested.
package struct SessionDefaults: Sendable, Hashable {
  /// `nil` for the workspace's default.
  package var model: String?
  /// `nil` for the model's default.
  package var thinking: ThinkingLevel?

  package init(model: String? = nil, thinking: ThinkingLevel? = nil) {
    self.model = model
    self.thinking = thinking
  }
}
