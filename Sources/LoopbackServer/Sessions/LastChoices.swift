// SPDX-License-Identifier: MIT

/// What was used last in each workspace and chosen last for each model; new sessions begin with it.
struct LastChoices: Sendable {
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
