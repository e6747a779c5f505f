// SPDX-License-Identifier: MIT

import FakeServer
import OppiHost
import OppiText
import OppiWire
import Simulation
import Testing

@testable import OppiTestSupport

/// `oppi pair` with an invite for a server that is already paired, in a pipe.
@Suite struct PairAgainTests {
  private static let path = "\(World.home)/.config/oppi/servers.json"

  /// The fields of a server's invite, without a signature.
  private static func fields(of server: VirtualServer) throws -> JSONObject {
    let json = try JSONValue(parsing: Array(try #require(server.inviteText()).utf8))
    guard let payload = json["signedPayload"].string.flatMap({ Base64.decode($0) }) else {
      return try #require(json.object)
    }
    return try #require(try JSONValue(parsing: payload).object)
  }

  private static func entry(in world: World) throws -> JSONObject {
    let bytes = try #require(world.disk.contents(of: path))
    return try #require(try JSONValue(parsing: bytes)["servers"].array?.first?.object)
  }

  private static func put(_ entry: JSONObject, in world: World) {
    let file: JSONValue = ["version": 1, "servers": [.object(entry)]]
    world.disk.put(file.bytes(), at: path)
  }

  /// Pairs with a server, and moves its entry to another port, as if it had been paired there.
  private static func pairElsewhere(
    _ world: World,
    _ server: VirtualServer,
    change: (inout JSONObject) -> Void = { _ in }
  ) async throws {
    let pair = await world.oppi("pair", try #require(server.inviteText()))
    try #require(pair.status == 0, "\(pair)")
    var entry = try entry(in: world)
    entry["port"] = 9
    change(&entry)
    put(entry, in: world)
  }

  private func inSignedWorld(
    _ body: @escaping @Sendable (World, VirtualServer) async throws -> Void
  ) throws {
    let identity = try IdentityKey(seed: [UInt8](1...32))
    inWorld(isPaired: false, where: \.identity, is: identity) { world, server in
      try await body(world, server)
    }
  }

  @Test("a signed invite of the same key replaces the address and the pin")
  func signed() throws {
    try inSignedWorld { world, server in
      let pin = JSONValue.string("sha256:" + String(repeating: "A", count: 43))
      try await Self.pairElsewhere(world, server) { entry in
        entry["scheme"] = "https"
        entry["tlsCertFingerprint"] = pin
      }
      let outcome = await world.oppi("pair", "--json", try #require(server.inviteText()))
      #expect(outcome.status == 0 && outcome.json["renewed"] == true, "\(outcome)")
      let entry = try Self.entry(in: world)
      #expect(entry["tlsCertFingerprint"] == nil && entry["port"] != 9, "\(entry)")
      #expect(entry["identityProven"] == true, "\(entry)")
      await world.oppi("ask", "-w", "demo", "hello", exits: 0)
    }
  }

  @Test("a server that is paired again keeps its proxy")
  func proxy() throws {
    try inSignedWorld { world, server in
      try await Self.pairElsewhere(world, server) { $0["proxy"] = "http://proxy.lan:3128" }
      await world.oppi("pair", try #require(server.inviteText()), exits: 0)
      let entry = try Self.entry(in: world)
      #expect(entry["proxy"] == "http://proxy.lan:3128" && entry["port"] != 9, "\(entry)")
    }
  }

  @Test("a server that is paired again keeps its place in the list, and when it was first paired")
  func place() throws {
    try inSignedWorld { world, server in
      let first: JSONValue = "2026-01-02T03:04:05Z"
      try await Self.pairElsewhere(world, server) { $0["addedAt"] = first }
      _ = try await world.addServer(named: "office")
      await world.oppi("pair", try #require(server.inviteText()), exits: 0)
      let listed = await world.oppi("servers", "--json")
      let servers = listed.json["servers"].array ?? []
      #expect(servers.map(\.["name"]) == ["studio", "office"], "\(listed)")
      #expect(servers.first?["pairedAt"] == first, "\(listed)")
    }
  }

  @Test("an unsigned invite never replaces a server that was paired by a signed one")
  func takeover() throws {
    try inSignedWorld { world, server in
      await world.oppi("pair", try #require(server.inviteText()), exits: 0)
      await world.oppi("workspaces", exits: 0)
      try await Self.pairElsewhere(world, server)
      let before = try Self.entry(in: world)
      _ = await world.oppi("ask", "-w", "demo", "--queue", "--key", "k", "hello")
      #expect(await world.oppi("outbox").output.contains("hello"))
      let requests = server.requests.count
      let text = JSONValue.object(try Self.fields(of: server)).text()
      await world.oppi("pair", "--json", text, exits: 77, saying: "oppi servers forget studio") {
        $0.output.isEmpty && $0.error["code"] == "identity-mismatch"
      }
      #expect(server.requests.count == requests, "the server was called")
      #expect(try Self.entry(in: world) == before)
      _ = await world.oppi("outbox", "flush")
      #expect(server.requests.count == requests && server.heard.isEmpty)
    }
  }

  @Test("a server with a device key that an earlier version paired is not replaced unproved")
  func earlierVersion() throws {
    try inSignedWorld { world, server in
      try await Self.pairElsewhere(world, server) { $0["identityProven"] = nil }
      let requests = server.requests.count
      let text = JSONValue.object(try Self.fields(of: server)).text()
      await world.oppi("pair", text, exits: 77)
      #expect(server.requests.count == requests)
      await world.oppi("pair", try #require(server.inviteText()), exits: 0)
    }
  }

  @Test("without a terminal, an unsigned invite for another address is refused with a remedy")
  func moved() {
    inWorld(isPaired: false) { world, server in
      try await Self.pairElsewhere(world, server)
      let requests = server.requests.count
      let outcome = await world.oppi("pair", try #require(server.inviteText()))
      #expect(outcome.status == 77 && server.requests.count == requests, "\(outcome)")
      #expect(outcome.errors.contains("is paired at http://studio.lan:9"), "\(outcome)")
      #expect(outcome.errors.contains("oppi servers forget studio"), "\(outcome)")
      #expect(try Self.entry(in: world)["port"] == 9)
      _ = await world.oppi("servers", "forget", "studio")
      await world.oppi("pair", try #require(server.inviteText()), exits: 0)
    }
  }

  @Test("an invite that names no identity does not replace a paired server")
  func nameless() {
    inWorld(isPaired: false) { world, server in
      try await Self.pairElsewhere(world, server)
      let before = try Self.entry(in: world)
      var fields = try Self.fields(of: server)
      fields["fingerprint"] = nil
      let outcome = await world.oppi("pair", JSONValue.object(fields).text(), exits: 77)
      #expect(outcome.errors.contains("the invite is used up"), "\(outcome)")
      #expect(try Self.entry(in: world) == before)
    }
  }
}
