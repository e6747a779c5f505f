// SPDX-License-Identifier: MIT

import OppiModel

struct Model: Sendable {
  /// The provider and the model's own ID, separated by a slash.
  let id: String
  let name: String
  let contextWindow: Int

  /// The models of every server; the first one is the default.
  static let all = [
    Model(id: "openai-codex/gpt-5.3-codex", name: "GPT-5.3 Codex", contextWindow: 272_000),
    Model(id: "anthropic/claude-opus-4-6", name: "Claude Opus 4.6", contextWindow: 200_000),
    Model(id: "anthropic/claude-sonnet-4-6", name: "Claude Sonnet 4.6", contextWindow: 1_000_000),
    Model(id: "openrouter/z.ai/glm-5", name: "GLM 5", contextWindow: 128_000),
    Model(id: "lmstudio/glm-4.7-flash", name: "GLM 4.7 Flash", contextWindow: 131_072),
  ]

  static let defaultID = "openai-codex/gpt-5.3-codex"

  static func named(_ id: String) -> Model? { all.first { $0.id == id } }

  /// Finds a model by its ID, its name or a part of it, with or without a thinking level.
  static func matching(_ text: String) -> Model? {
    let text = text.lowercased()
    let parts = text.split(separator: ":", maxSplits: 1)
    let bare = parts.count == 2 && ThinkingLevel.isKnown(String(parts[1])) ? String(parts[0]) : text
    guard !bare.isEmpty else { return nil }
    return all.first { $0.id.lowercased() == bare || $0.modelID.lowercased() == bare }
      ?? all.first { $0.name.lowercased().contains(bare) || $0.id.lowercased().contains(bare) }
  }

  var provider: String { String(id.prefix { $0 != "/" }) }

  /// The ID without the provider; it may contain slashes.
  var modelID: String { String(id.dropFirst(provider.count + 1)) }

  var json: JSONValue {
    [
      "id": .string(id),
      "name": .string(name),
      "provider": .string(provider),
      "contextWindow": .number(contextWindow),
    ]
  }
}
