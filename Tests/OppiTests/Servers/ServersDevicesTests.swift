// SPDX-License-Identifier: MIT

import FakeServer
import OppiText
import OppiWire
import Simulation
import Testing

@testable import OppiTestSupport

/// `oppi servers devices`, `revoke` and `forget` on a server with device keys.
@Suite struct ServersDevicesTests {
  /// Pairs by invites, twice: the first device is another machine's, which is lost.
  private func withDevices(
    _ body: @escaping @Sendable (World, VirtualServer) async throws -> Void
  ) {
    inWorld(isPaired: false, where: \.acceptsPlainHTTP, is: true) { world, server in
      for _ in 1...2 {
        let invite = try #require(server.inviteText())
        let pair = await world.oppi("pair", invite)
        try #require(pair.status == 0, "\(pair)")
      }
      try await body(world, server)
    }
  }

  private static func devices(_ world: World) async -> [JSONValue] {
    await world.oppi("servers", "devices", "--json").json["devices"].array ?? []
  }

  /// The id of this machine's device, or of the other one.
  private static func id(ofThis isThis: Bool, in world: World) async throws -> String {
    try #require(await devices(world).first { $0["current"] == .bool(isThis) }?["id"].string)
  }

  @Test("the list has all devices and marks this machine")
  func list() {
    withDevices { world, server in
      let devices = await Self.devices(world)
      #expect(devices.count == 2, "\(devices)")
      #expect(devices.count { $0["current"] == true } == 1, "\(devices)")
      #expect(devices.allSatisfy { $0["server"]["name"] == "studio" && $0["revokedAt"] == .null })
      let pipe = await world.oppi("servers", "devices", "studio")
      let rows = pipe.lines.map { $0.split(separator: "\t", omittingEmptySubsequences: false) }
      #expect(rows.count == 2 && rows.allSatisfy { $0.count == 7 }, "\(pipe)")
      #expect(rows.count { $0[6] == "current" } == 1, "\(pipe)")
    }
  }

  @Test("a device is revoked by its id or the start of it, once, and only with --yes in a pipe")
  func revoke() {
    withDevices { world, server in
      let other = try await Self.id(ofThis: false, in: world)
      await world.oppi("servers", "revoke", other, exits: 64, saying: "--yes")
      #expect(!server.requests.contains { $0.method == "DELETE" })
      let start = String(other.dropLast())
      let outcome = await world.oppi("servers", "revoke", "--yes", "--json", start)
      #expect(outcome.status == 0 && outcome.json["id"].string == other, "\(outcome)")
      let later = await Self.devices(world)
      #expect(later.first { $0["id"].string == other }?["revokedAt"] != .null, "\(later)")
      await world.oppi("servers", "revoke", "--yes", other, exits: 5)
      // The start of a revoked device's id finds nothing, also where it is unique.
      await world.oppi("servers", "revoke", "--yes", String(other.dropLast()), exits: 66)
      await world.oppi("servers", "revoke", "--yes", "phone", exits: 66)
    }
  }

  @Test("two devices with one name are told apart by their ids")
  func ambiguous() {
    withDevices { world, server in
      let names = await Self.devices(world).compactMap(\.["name"].string)
      try #require(Set(names).count == 1)
      let outcome = await world.oppi("servers", "revoke", "--yes", names[0], exits: 64)
      #expect(outcome.errors.contains("is ambiguous: it matches several devices"), "\(outcome)")
    }
  }

  @Test("a start of several ids revokes none of the devices")
  func severalIDs() {
    withDevices { world, server in
      let ids = await Self.devices(world).compactMap(\.["id"].string)
      let start = ids.reduce(ids.first ?? "") { start, id in
        String(zip(start, id).prefix { $0 == $1 }.map(\.0))
      }
      try #require(!start.isEmpty && !ids.contains(start))
      let outcome = await world.oppi("servers", "revoke", "--yes", start, exits: 64)
      for id in ids { #expect(outcome.errors.contains(id), "\(outcome)") }
      #expect(!server.requests.contains { $0.method == "DELETE" })
    }
  }

  @Test("neither an empty word nor a start that all ids have revokes the only device")
  func startOfAllIDs() {
    withDevices { world, server in
      let other = try await Self.id(ofThis: false, in: world)
      await world.oppi("servers", "revoke", "--yes", other, exits: 0)
      for word in ["", "d", "dev_"] {
        let outcome = await world.oppi("servers", "revoke", "--yes", word, exits: 66)
        #expect(outcome.errors.contains("studio has no device '\(word)'"), "\(outcome)")
      }
      #expect(server.requests.count { $0.method == "DELETE" } == 1)
    }
  }

  @Test("a revoked device shares its name with no other")
  func revokedName() {
    withDevices { world, server in
      let devices = await Self.devices(world)
      let name = try #require(devices.first?["name"].string)
      let (own, other) = (
        try await Self.id(ofThis: true, in: world), try await Self.id(ofThis: false, in: world)
      )
      _ = await world.oppi("servers", "revoke", "--yes", other)
      let outcome = await world.oppi("servers", "revoke", "--yes", "--json", name)
      #expect(outcome.status == 0 && outcome.json["id"].string == own, "\(outcome)")
    }
  }

  @Test("revoking this machine ends its access; the error says how to pair again")
  func own() {
    withDevices { world, server in
      let own = try await Self.id(ofThis: true, in: world)
      await world.oppi("servers", "revoke", "--yes", own, exits: 0)
      for path in world.disk.paths {
        let text = String(decoding: world.disk.contents(of: path) ?? [], as: UTF8.self)
        #expect(!text.contains("at_"), "\(path)")
      }
      await world.oppi("sessions", exits: 77, saying: "oppi pair -")
    }
  }

  @Test("a forgotten server revokes this machine's device, and no key is left")
  func forget() {
    withDevices { world, server in
      await world.oppi("servers", "forget", "studio", exits: 0) { $0.errors == "removed studio\n" }
      #expect(server.requests.last { $0.method == "DELETE" }?.status == 200)
      for path in world.disk.paths {
        let text = String(decoding: world.disk.contents(of: path) ?? [], as: UTF8.self)
        #expect(!text.contains("privateKey") && !text.contains("at_"), "\(path)")
      }
    }
  }

  @Test("a server that cannot be reached is forgotten with a warning that names the device")
  func forgetAway() {
    withDevices { world, server in
      let own = try await Self.id(ofThis: true, in: world)
      await server.end(.killed)
      let outcome = await world.oppi("servers", "forget", "studio", exits: 0)
      let warning = "could not revoke this machine's device \(own) on studio: Can't reach studio"
      #expect(outcome.errors.contains(warning), "\(outcome)")
      await world.oppi("servers", "--json") { $0.json["servers"].array == [] }
    }
  }

  @Test("a server that has revoked this machine is forgotten without a warning")
  func forgetRevoked() {
    withDevices { world, server in
      let own = try await Self.id(ofThis: true, in: world)
      await world.oppi("servers", "revoke", "--yes", own, exits: 0)
      await world.oppi("servers", "forget", "studio", exits: 0) { $0.errors == "removed studio\n" }
    }
  }

  @Test("doctor names the device, and a revoked one is a fault")
  func doctor() {
    withDevices { world, server in
      let well = await world.oppi("doctor", "--json")
      let messages = (well.json["findings"].array ?? []).compactMap(\.["message"].string)
      #expect(messages.contains { $0.hasPrefix("studio lists this machine as ") }, "\(well)")
    }
  }

  @Test("servers without devices refuse politely", arguments: Dialect.both)
  func older(dialect: Dialect) {
    inWorld(dialect) { world, server in
      await world.oppi("servers", "devices", exits: 69, saying: "does not list devices")
      await world.oppi("servers", "revoke", "--yes", "dev_1", exits: 69)
      #expect(!server.requests.contains { $0.method == "DELETE" })
      await world.oppi("servers", "forget", "studio", exits: 0) { $0.errors == "removed studio\n" }
    }
  }

  @Test("with several servers, revoke needs --server")
  func several() {
    withDevices { world, server in
      _ = try await world.addServer(named: "cloud")
      await world.oppi("servers", "revoke", "--yes", "dev_1", exits: 64, saying: "--server")
      await world.oppi("servers", "devices", exits: 0) { $0.lines.count == 3 }
      let other = try await Self.id(ofThis: false, in: world)
      await world.oppi("--server", "studio", "servers", "revoke", "--yes", other, exits: 0)
    }
  }
}
