// SPDX-License-Identifier: MIT

/// The last model of each workspace and the last thinking level of each model.
///
/// They are the defaults of new sessions.
struct LastChoices: Sendable {
  /// The place of choices for all workspaces.
  static let everywhere = ""

  private var models: [String: String] = [:]
  private var thinkingLevels: [String: String] = [:]

  func model(in workspaceID: String) -> String? { models[workspaceID] }

  mutating func choose(model: String, in workspaceID: String) {
    models[workspaceID] = model
  }

  func thinkingLevel(of model: String) -> String? { thinkingLevels[model] }

  mutating func choose(thinkingLevel: String, of model: String) {
    thinkingLevels[model] = thinkingLevel
  }
}
