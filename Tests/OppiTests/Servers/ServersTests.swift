// SPDX-License-Identifier: MIT

import CommandTable
import FakeServer
import OppiHost
import OppiText
import OppiWire
import Simulation
import Testing

@testable import Oppi
@testable import OppiTestSupport

/// `oppi servers` with two servers, the first named studio.
@Suite struct ServersTests {
  private func withTwo(
    _ body: @escaping @Sendable (World, VirtualServer, VirtualServer) async throws -> Void
  ) {
    inWorld { world, studio in
      try await body(world, studio, try await world.addServer(named: "cloud"))
    }
  }

  private static func names(in world: World) async -> [String]? {
    await world.oppi("servers", "--json").json["servers"].array?.compactMap { $0["name"].string }
  }

  @Test("the list has each server with its address and identity, the default server first")
  func list() {
    withTwo { world, studio, cloud in
      let before = [studio, cloud].map(\.requests.count)
      let outcome = await world.oppi("servers", "list")
      let rows = outcome.lines.map { $0.split(separator: "\t", omittingEmptySubsequences: false) }
      #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome)")
      #expect(rows.map { $0[0] } == ["studio", "cloud"], "\(outcome)")
      #expect(rows.map { $0[2] } == ["default", ""], "\(outcome)")
      #expect(rows.map { String($0[3]) } == [studio, cloud].map { $0.reference?.serverID.text })
      #expect([studio, cloud].map(\.requests.count) == before)
    }
  }

  @Test("servers default changes the default server, where new sessions open")
  func makeDefault() {
    withTwo { world, studio, cloud in
      let outcome = await world.oppi("servers", "default", "cloud", exits: 0)
      #expect(outcome.errors == "cloud is the default server\n", "\(outcome)")
      #expect(await Self.names(in: world) == ["cloud", "studio"])
      await world.oppi("new", "--print-target") {
        $0.json["serverId"].string == cloud.reference?.serverID.text
      }
    }
  }

  @Test("a server is offered also after the whole name of another one was typed")
  func completion() {
    inWorld { world, _ in
      _ = try await world.addServer(named: "studio-2")
      for words in [
        ["approvals", "--server", "studio"], ["approvals", "--server=studio"],
        ["servers", "show", "studio"],
      ] {
        let found = await world.oppi(["__complete", "--"] + words)
        #expect(found.output.contains("studio-2"), "\(words): \(found)")
      }
    }
  }

  @Test("a renamed server has its new name, and two servers cannot have the same name")
  func rename() {
    withTwo { world, studio, cloud in
      let outcome = await world.oppi("servers", "rename", "studio", "office", exits: 0)
      #expect(outcome.errors == "renamed studio to office\n", "\(outcome)")
      let ask = await world.oppi("ask", "-n", "-w", "office/demo", "--json", "x")
      #expect(ask.json["server"]["name"] == "office", "\(ask)")
      let taken = await world.oppi("servers", "rename", "office", "Cloud", exits: 73)
      #expect(taken.errors.hasPrefix("oppi: another server is named 'Cloud'"), "\(taken)")
      #expect(await Self.names(in: world) == ["office", "cloud"])
    }
  }

  @Test("a server is renamed to its own name in another case")
  func otherCase() {
    withTwo { world, studio, cloud in
      await world.oppi("servers", "rename", "studio", "Studio", exits: 0)
      #expect(await Self.names(in: world) == ["Studio", "cloud"])
    }
  }

  @Test("the servers before a new default server keep their order")
  func makeLastDefault() {
    withTwo { world, studio, cloud in
      _ = try await world.addServer(named: "attic")
      await world.oppi("servers", "default", "attic", exits: 0)
      #expect(await Self.names(in: world) == ["attic", "studio", "cloud"])
    }
  }

  @Test("pairing again ends a doubt about a server that reports no identity")
  func pairedAgain() {
    inTroubledWorld { world, server, trouble in
      let other = "sha256:" + String(repeating: "A", count: 43)
      trouble.at("/server/info", .answer(json: ["identity": ["fingerprint": .string(other)]]))
      await world.oppi("servers", "test", exits: 77)
      trouble.at("/server/info", .answer(json: ["version": "0.60.0"]))
      await world.oppi("ask", "-w", "demo", "hello", exits: 77)
      await world.oppi("pair", try #require(server.inviteText()), exits: 0)
      await world.oppi("ask", "-w", "demo", "hello", exits: 0)
    }
  }

  @Test("nothing goes to another server that was noticed, until the right one answers again")
  func stranger() {
    inTroubledWorld { world, server, trouble in
      let other = "sha256:" + String(repeating: "A", count: 43)
      let lie: @Sendable (Step) -> Intervention = {
        $0.isRequest("/server/info")
          ? .answer(json: ["identity": ["fingerprint": .string(other)]]) : .proceed
      }
      _ = await world.oppi("ask", "-w", "demo", "hello")
      _ = await world.oppi("shortcuts", "add", "standup", "-w", "demo", "second")
      trouble.begin(lie)
      await world.oppi("servers", "test", exits: 77)
      let lies = server.requests.count
      for words in [
        ["ask", "-w", "demo", "second"], ["ask", "--wait", "-w", "demo", "second"],
        ["ask", "-s", "last", "second"], ["run", "standup"], ["stop", "last"],
        ["answer", "last", "1", ""], ["deny", "--all", "--yes", "-w", "demo"],
      ] {
        await world.oppi(words, exits: 77, saying: "a different server answers")
      }
      #expect(server.requests.dropFirst(lies).allSatisfy { $0.path == "/server/info" })
      #expect(server.heard == ["hello"])
      // Without an answer to the question, the doubt stays.
      trouble.at("/server/info", .answer(status: 404, error: "Not found"))
      await world.oppi("ask", "-w", "demo", "second", exits: 77)
      trouble.end()
      await world.oppi("ask", "-w", "demo", "second", exits: 0)
      let asked = server.requests.count { $0.path == "/server/info" }
      await world.oppi("ask", "-w", "demo", "third", exits: 0)
      #expect(server.requests.count { $0.path == "/server/info" } == asked)
      #expect(server.heard == ["hello", "second", "third"])
    }
  }

  @Test("a server that proved its identity, and now reports none, is another server")
  func silent() throws {
    let (trouble, identity) = (Trouble(), try IdentityKey(seed: [UInt8](1...32)))
    inWorld {
      $0.identity = identity
      $0.interceptor = trouble.interceptor
    } _: { world, server in
      trouble.at("/server/info", .answer(json: ["version": "0.60.0"]))
      await world.oppi("servers", "test", exits: 77)
      await world.oppi("ask", "-w", "demo", "hello", exits: 77)
      trouble.end()
      await world.oppi("ask", "-w", "demo", "hello", exits: 0)
    }
  }

  @Test("a forgotten server leaves no entry, token or workspaces")
  func forget() {
    withTwo { world, studio, cloud in
      let token = try #require(studio.token)
      _ = await world.oppi("workspaces")
      await world.oppi("servers", "forget", "studio", exits: 0) { $0.errors == "removed studio\n" }
      #expect(await Self.names(in: world) == ["cloud"])
      for path in world.disk.paths {
        let text = String(decoding: world.disk.contents(of: path) ?? [], as: UTF8.self)
        #expect(!text.contains(token), "\(path)")
      }
      await world.oppi("workspaces", "--offline", "--json") { !$0.output.contains("studio") }
    }
  }

  @Test("a word for removing a server suggests forget, and nothing that removes access")
  func removal() {
    withTwo { world, studio, cloud in
      for word in ["remove", "rm", "forgt"] {
        await world.oppi("servers", word, "nope", exits: 64, saying: "did you mean 'forget'?")
      }
    }
  }

  @Test("servers test tries each server with its token, and a failure determines the status")
  func test() {
    withTwo { world, studio, cloud in
      let good = await world.oppi("servers", "test", "--json")
      let servers = try #require(good.json["servers"].array)
      #expect(good.status == 0 && servers.allSatisfy { $0["ok"] == true }, "\(good)")
      await cloud.end(.killed)
      let outcome = await world.oppi("servers", "test")
      let rows = outcome.lines.map { $0.split(separator: "\t", omittingEmptySubsequences: false) }
      #expect(outcome.status == 69, "\(outcome)")
      #expect(rows.map { $0[0..<2].joined(separator: " ") } == ["cloud failed", "studio ok"])
      #expect(outcome.errors.hasPrefix("oppi: Can't reach cloud"), "\(outcome)")
      await world.oppi("servers", "test", "studio", exits: 0)
    }
  }

  @Test(
    "a server's name is one printable line without marks of other names",
    arguments: [
      ("studio", true), ("my studio", true), ("s", true), (String(repeating: "x", count: 80), true),
      (String(repeating: "x", count: 81), false), ("", false), ("a/b", false), ("a|b", false),
      ("a→b", false), ("a\nb", false), ("a\u{1B}[1m", false), (" a", false), ("a ", false),
    ]
  )
  func labels(name: String, isValid: Bool) {
    do throws(UsageError) {
      try ServerLabel.check(name)
      #expect(isValid, "\(name)")
    } catch {
      #expect(!isValid, "\(error)")
    }
  }
}
