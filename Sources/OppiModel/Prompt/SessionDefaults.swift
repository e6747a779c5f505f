// SPDX-License-Identifier: MIT

/// What a new session is given where nothing is asked for.
package struct SessionDefaults: Sendable, Hashable {
  /// `nil` for the workspace's own.
  package var model: String?
  /// `nil` for the model's own.
  package var thinking: ThinkingLevel?

  package init(model: String? = nil, thinking: ThinkingLevel? = nil) {
    self.model = model
    self.thinking = thinking
  }
}
