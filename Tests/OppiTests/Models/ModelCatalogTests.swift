// SPDX-License-Identifier: MIT

import OppiModel
import OppiSystem
import TestSupport
import Testing

@testable import Oppi

@Suite struct ModelCatalogTests {
  private let scratch: Scratch
  private let catalog: ModelCatalog

  init() throws {
    scratch = try Scratch()
    catalog = ModelCatalog(paths: scratch.paths, files: try .forTests())
  }

  private static func server(_ letter: Character) throws -> Fingerprint {
    try #require(Fingerprint("sha256:" + String(repeating: letter, count: 43)))
  }

  private static func models(_ ids: String...) -> [LanguageModel] {
    ids.compactMap { LanguageModel(json: ["id": .string($0)]) }
  }

  @Test("the models of a server are kept until they are replaced")
  func keeps() throws {
    let (one, other) = (try Self.server("A"), try Self.server("E"))
    #expect(catalog.lists() == [:])
    catalog.store([one: Self.models("a/b"), other: Self.models("c/d", "e/f")], of: [one, other])
    catalog.store([one: Self.models("g/h")], of: [one, other])
    #expect(catalog.lists() == [one: Self.models("g/h"), other: Self.models("c/d", "e/f")])
    catalog.store([one: []], of: [one])
    #expect(catalog.lists() == [one: []])
  }

  @Test(
    "an unusable file counts as empty",
    arguments: ["{", "[]", "7"]
  )
  func damaged(text: String) throws {
    try scratch.write(text, to: scratch.paths.modelsFile)
    #expect(catalog.lists() == [:])
  }

  @Test("a long list is truncated")
  func long() throws {
    let server = try Self.server("A")
    let many = (0..<5000).compactMap { LanguageModel(json: ["id": .string("a/\($0)")]) }
    catalog.store([server: many], of: [server])
    #expect(catalog.lists()[server] == Array(many.prefix(2000)))
  }
}
