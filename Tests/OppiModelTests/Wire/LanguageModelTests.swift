// SPDX-License-Identifier: MIT

import OppiModel
import Testing

@Suite struct LanguageModelTests {
  @Test("a recorded model is parsed and written unchanged")
  func recorded() throws {
    let json: JSONValue = [
      "id": "openrouter/z.ai/glm-5", "name": "GLM-5", "provider": "openrouter",
      "contextWindow": 200_000,
    ]
    let model = try #require(LanguageModel(json: json))
    #expect(model.id == "openrouter/z.ai/glm-5" && model.name == "GLM-5")
    #expect(model.provider == "openrouter" && model.contextWindow == 200_000)
    #expect(model.json == json)
  }

  @Test("an id is sufficient")
  func idAlone() throws {
    let model = try #require(LanguageModel(json: ["id": "a/b", "name": 7, "contextWindow": -1]))
    #expect(model.name == "a/b" && model.provider == "a" && model.contextWindow == nil)
  }

  @Test("a model with an invalid id is rejected", arguments: ["", "a\u{1B}[2J", "a\nb"])
  func unnamed(id: String) {
    #expect(LanguageModel(json: ["id": .string(id)]) == nil)
    #expect(LanguageModel(json: [:]) == nil)
  }

  @Test("texts for display are made safe")
  func safe() {
    let model = LanguageModel(json: [
      "id": "a/b", "name": "B\u{1B}[31m\u{202E}", "provider": "x\ny",
    ])
    #expect(model?.name == "B" && model?.provider.contains("\n") == false)
  }
}
