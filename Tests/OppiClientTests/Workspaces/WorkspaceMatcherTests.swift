// SPDX-License-Identifier: MIT

import OppiWire
import Testing

@testable import OppiClient

@Suite struct WorkspaceMatcherTests {
  private static func server(_ name: String, _ seed: UInt8) throws -> PairedServer {
    PairedServer(
      id: Fingerprint(digest: [UInt8](repeating: seed, count: 32)),
      name: name,
      endpoint: try #require(Endpoint(scheme: .http, host: "h", port: 1))
    )
  }

  private static func all() throws -> [ServerWorkspace] {
    let (studio, office) = (try server("studio", 1), try server("office", 2))
    return [
      (studio, "iaOoCYKG", "api"), (studio, "bbbbbbbb", "api-docs"), (studio, "cccccccc", "Web"),
      (office, "-CzT5M5I", "api"), (office, "eeeeeeee", "infra"), (office, "ffffffff", "web"),
      (office, "gggggggg", "a/b"), (office, "hhhhhhhh", "Ünïcode"),
    ]
    .map { ServerWorkspace(server: $0, workspace: Workspace(id: $1, name: $2)) }
  }

  @Test(
    "the first matching rule decides",
    arguments: [
      ("studio/api", ["iaOoCYKG"]), ("office → api", ["-CzT5M5I"]), ("OFFICE/API", ["-CzT5M5I"]),
      ("api", ["iaOoCYKG", "-CzT5M5I"]), ("iaOoCYKG", ["iaOoCYKG"]), ("-CzT5M5I", ["-CzT5M5I"]),
      ("web", ["ffffffff"]), ("Web", ["cccccccc"]), ("WEB", ["cccccccc", "ffffffff"]),
      ("inf", ["eeeeeeee"]), ("API-", ["bbbbbbbb"]), ("a/b", ["gggggggg"]),
      ("office/a/b", ["gggggggg"]),
      ("studio/api-", ["bbbbbbbb"]), ("studio/we", ["cccccccc"]), ("ünï", ["hhhhhhhh"]),
      ("", []), ("nothing", []), ("studio/", []), ("stud", []),
    ] as [(String, [String])]
  )
  func matches(word: String, ids: [String]) throws {
    #expect(WorkspaceMatcher.matches(word, in: try Self.all()).map(\.workspace.id) == ids)
  }

  @Test("a name that another workspace has, too, is replaced by the id, also beyond the limit")
  func names() throws {
    let all = try Self.all()
    let id = try #require(all[0].reference?.description)
    let twin = Workspace(id: "dddddddd", name: "api")
    let known = all + [ServerWorkspace(server: all[0].server, workspace: twin)]
    #expect(known.names(atMost: 2) == [id, "studio/api-docs"])
  }

  @Test("a server is found by its label, its id, or a prefix of its label")
  func servers() throws {
    let servers = [try Self.server("studio", 1), try Self.server("Studio Two", 2)]
    #expect(try servers.named("studio").name == "studio")
    #expect(try servers.named("studio t").name == "Studio Two")
    #expect(try servers.named(servers[1].id.text).name == "Studio Two")
    #expect(throws: OppiError.self) { try servers.named("st") }
    #expect(throws: OppiError.self) { try servers.named("") }
    #expect(throws: OppiError.self) { try [PairedServer]().named("studio") }
  }
}
