// SPDX-License-Identifier: MIT

import FakeServer
import OppiSystem
import OppiText
import OppiWire
import Simulation
import TestSupport
import Testing

@testable import OppiClient
@testable import OppiTestSupport

/// `oppi models`, and the completion of model names.
@Suite struct ModelsTests {
  private static let first = "openai-codex/gpt-5.3-codex"

  @Test("the models of all servers are listed", arguments: Dialect.all)
  func lists(dialect: Dialect) {
    inWorld(dialect) { world, server in
      _ = try await world.addServer(named: "office")
      let outcome = await world.oppi("models")
      #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome)")
      #expect(outcome.lines.count == 10)
      #expect(outcome.lines.first == "\(Self.first)\toffice\topenai-codex\t272000\tGPT-5.3 Codex")
      #expect(outcome.lines.last?.contains("\tstudio\t") == true)
      let json = await world.oppi("models", "--json", "--server", "studio").json
      #expect(json["models"].array?.count == 5 && json["errors"] == [], "\(json)")
      #expect(json["models"].array?.first?["contextWindow"] == 272_000)
    }
  }

  @Test("-w lists only the models of the workspace's server")
  func workspace() {
    inWorld { world, server in
      let office = try await world.addServer(named: "office")
      await world.oppi("models", "-w", "studio/demo") { $0.lines.count == 5 }
      #expect(!office.requests.contains { $0.path == "/models" })
      let unknown = await world.oppi("models", "-w", "nix", exits: 66)
      #expect(unknown.errors.contains("no workspace 'nix' (from --workspace)"), "\(unknown)")
    }
  }

  @Test("an unreachable server is a warning, and an error only if no server answers")
  func away() {
    inWorld { world, server in
      let office = try await world.addServer(named: "office")
      await server.end(.killed)
      let some = await world.oppi("models", exits: 0, saying: "oppi: warning: Can't reach studio")
      #expect(some.lines.count == 5, "\(some)")
      await office.end(.killed)
      let none = await world.oppi("models", "--json")
      #expect(none.status == 69 && none.error["code"] == "server-unreachable", "\(none)")
      #expect(none.json["models"] == [] && none.json["errors"].array?.count == 2, "\(none)")
    }
  }

  @Test("a terminal shows context windows in thousands and millions of tokens")
  func contexts() {
    inTroubledWorld { world, server, trouble in
      let windows: [Int64] = [1_000_000, 999_999, 1000, 999]
      let models = windows.map { window in
        JSONValue.object(["id": .string("acme/\(window)"), "contextWindow": .integer(window)])
      }
      trouble.at("/models", .answer(json: ["models": .array(models)]))
      let shown = try await world.oppi(["models"], as: .terminal)
      for text in ["1M tokens", "999k tokens", "1k tokens", "999 tokens"] {
        #expect(shown.output.contains("\u{1B}[2m\(text)"), "\(shown)")
      }
    }
  }

  @Test("completion offers the listed models of the servers that are still paired")
  func completes() {
    inWorld { world, server in
      let line = ["__complete", "--", "ask", "-m", "openr"]
      await world.oppi(line) { $0.output.isEmpty }
      _ = await world.oppi("models")
      await world.oppi(line) { $0.output.hasPrefix("openrouter/z.ai/glm-5") }
      let setting = await world.oppi("__complete", "--", "config", "set", "model", "openr")
      #expect(setting.output.hasPrefix("openrouter/z.ai/glm-5"), "\(setting)")
      _ = await world.oppi("servers", "forget", "studio")
      await world.oppi(line) { $0.output.isEmpty }
    }
  }

  @Test(
    "an invalid model list is a protocol error",
    arguments: [[:], ["models": 7], [1]] as [JSONValue]
  )
  func malformed(answer: JSONValue) {
    inTroubledWorld { world, server, trouble in
      trouble.at("/models", .answer(json: answer))
      await world.oppi("models", exits: 76)
    }
  }
}

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

  @Test("the list of a server that took another model than asked is dropped, and no other list")
  func forgets() throws {
    let servers = [try PairedServer.sample(1), try PairedServer.sample(2)]
    let lists = [servers[0].id: Self.models("a/b"), servers[1].id: Self.models("a/b")]
    catalog.store(lists, of: servers.map(\.id))
    for (asked, taken) in [("a/b", "a/b"), (nil, "c/d"), ("a/b", nil)] as [(String?, String?)] {
      catalog.forget(servers[0], ifItReplaced: asked, with: taken)
      #expect(catalog.lists() == lists)
    }
    catalog.forget(servers[0], ifItReplaced: "a/b", with: "c/d")
    #expect(catalog.lists() == [servers[0].id: [], servers[1].id: Self.models("a/b")])
  }

  @Test("an unusable file counts as empty", arguments: ["{", "[]", "7"])
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
