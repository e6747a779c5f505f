// SPDX-License-Identifier: MIT

import FakeServer
import OppiHost
import OppiSystem
import OppiText
import OppiWire
import Simulation
import Testing

@testable import OppiClient
@testable import OppiTestSupport

/// `oppi pair`, over a connection without TLS.
@Suite struct PairTests {
  private func invite(of server: VirtualServer) throws -> String {
    try #require(server.inviteText())
  }

  private static func names(in world: World) async -> [String]? {
    await world.oppi("servers", "--json").json["servers"].array?.compactMap { $0["name"].string }
  }

  @Test("a fresh invite pairs, and the server can be used at once")
  func pairs() {
    inWorld(isPaired: false) { world, server in
      let outcome = await world.oppi("pair", try invite(of: server), exits: 0)
      #expect(outcome.lines == [server.reference?.serverID.text], "\(outcome)")
      #expect(outcome.errors.hasPrefix("paired with studio (http://studio.lan:"), "\(outcome)")
      await world.oppi("ask", "-w", "demo", "hello", exits: 0)
      let again = await world.oppi("pair", "--json", try invite(of: server))
      #expect(again.json["renewed"] == true, "\(again)")
      #expect(again.json["server"]["name"] == "studio", "\(again)")
      #expect(await Self.names(in: world) == ["studio"])
    }
  }

  @Test("--name sets the name of the server")
  func named() {
    inWorld(isPaired: false) { world, server in
      await world.oppi("pair", "--name", "office", try invite(of: server), exits: 0)
      #expect(await Self.names(in: world) == ["office"])
    }
  }

  @Test("a server that its invite names only by its address has the name that it reports")
  func address() {
    inWorld(isPaired: false) { world, server in
      let json = try JSONValue(parsing: Array(try invite(of: server).utf8))
      var fields = try #require(json.object)
      fields["name"] = .string(server.host)
      await world.oppi("pair", JSONValue.object(fields).text(), exits: 0)
      #expect(await Self.names(in: world) == ["studio"])
    }
  }

  @Test("a server whose name is taken gets another one, with a note")
  func taken() {
    inWorld { world, server in
      let other = try await world.addServer(FakeServer.Configuration(), isPaired: false)
      let outcome = await world.oppi("pair", "--name", "Studio", try invite(of: other), exits: 0)
      #expect(outcome.errors.hasPrefix("paired with Studio 2 ("), "\(outcome)")
      #expect(outcome.errors.contains("another server is named 'Studio'"), "\(outcome)")
      let again = await world.oppi("pair", try invite(of: other), exits: 0)
      #expect(!again.errors.contains("another server"), "\(again)")
      #expect(await Self.names(in: world) == ["studio", "Studio 2"])
    }
  }

  @Test("a used invite is status 77, with a hint")
  func used() {
    inWorld(isPaired: false) { world, server in
      let text = try invite(of: server)
      await world.oppi("pair", text, exits: 0)
      await world.oppi("pair", text, exits: 77, saying: "rejected the invite: it was used") {
        $0.output.isEmpty && $0.errors.contains("hint: \(OppiError.createInvite)")
      }
      await world.oppi("pair", "--json", text) { $0.error["code"] == "unauthorized" }
      // The earlier pairing still works.
      await world.oppi("ask", "-w", "demo", "hello", exits: 0)
    }
  }

  @Test(
    "a server with another identity than the invite is status 77, and nothing is stored",
    arguments: [0, 14, 15, 31],
    [Dialect.multiplexed, .deviceKeys]
  )
  func otherIdentity(byte: Int, dialect: Dialect) {
    inWorld(dialect, isPaired: false) { world, server in
      let own = try #require(server.reference?.serverID.text)
      var digest = try #require(Base64.decode(own.dropFirst(Fingerprint.prefix.count)))
      digest[byte] ^= 1
      let other = Fingerprint(digest: digest).text
      let text = try invite(of: server).replacing(own, with: other)
      try #require(text.contains(other))
      let outcome = await world.oppi("pair", "--json", text)
      #expect(outcome.status == 77 && outcome.output.isEmpty, "\(outcome)")
      #expect(outcome.error["code"] == "identity-mismatch", "\(outcome)")
      #expect(await Self.names(in: world) == [])
      #expect(!world.disk.paths.contains { $0.contains("credentials") }, "\(world.disk.paths)")
    }
  }

  @Test("a signed invite pairs")
  func signed() throws {
    let identity = try Self.identity()
    inWorld(isPaired: false, where: \.identity, is: identity) { world, server in
      let text = try invite(of: server)
      #expect(text.contains("signedPayload") && !text.contains("studio"), "\(text)")
      await world.oppi("pair", text, exits: 0) { $0.lines == [identity.fingerprint.text] }
      await world.oppi("ask", "-w", "demo", "hello", exits: 0)
    }
  }

  @Test(
    "a changed signed invite is status 77, and nothing is sent",
    arguments: ["signedPayload", "publicKey", "signature"]
  )
  func tampered(member: String) throws {
    let identity = try Self.identity()
    inWorld(isPaired: false, where: \.identity, is: identity) { world, server in
      let json = try JSONValue(parsing: Array(try invite(of: server).utf8))
      var envelope = try #require(json.object)
      let text = try #require(envelope[member]?.string)
      var bytes = try #require(Base64.decode(text))
      // In the payload, this byte is in the pairing token's name.
      bytes[bytes.count / 2] ^= 1
      envelope[member] = .string(Base64.encodeURL(bytes))
      let outcome = await world.oppi("pair", "--json", JSONValue.object(envelope).text())
      #expect(outcome.status == 77 || member == "signedPayload", "\(outcome)")
      #expect(outcome.status != 0 && server.requests.isEmpty, "\(outcome)")
      #expect(await Self.names(in: world) == [])
    }
  }

  @Test("a signed invite does not pair with a server that reports no identity")
  func unreportedIdentity() throws {
    let identity = try Self.identity()
    inWorld(isPaired: false) {
      $0.identity = identity
      $0.interceptor = { $0.isRequest("/server/info") ? .answer(json: [:]) : .proceed }
    } _: { world, server in
      let outcome = await world.oppi("pair", "--json", try invite(of: server), exits: 76)
      #expect(outcome.error["code"] == "protocol-broken", "\(outcome)")
      #expect(await Self.names(in: world) == [])
    }
  }

  private static func identity() throws -> IdentityKey {
    try IdentityKey(seed: [UInt8](1...32))
  }

  @Test(
    "an invalid invite is status 65, and no request is sent",
    arguments: ["hello", "{}", "oppi://connect?v=3&invite=nonsense", ""]
  )
  func noInvite(text: String) {
    inWorld(isPaired: false) { world, server in
      let outcome = await world.oppi("pair", text)
      #expect(outcome.status == 65 && outcome.output.isEmpty, "\(outcome)")
      #expect(outcome.errors.hasPrefix("oppi: "), "\(outcome)")
      #expect(server.requests.isEmpty)
    }
  }

  @Test("an unreachable server is status 69, and a silent server times out")
  func trouble() {
    inTroubledWorld(isPaired: false) { world, server, trouble in
      let text = try invite(of: server)
      trouble.begin { $0.isRequest ? .hang : .proceed }
      let slow = await world.oppi("pair", "--timeout", "2s", text)
      #expect(slow.status == 75 && slow.elapsed <= .milliseconds(2500), "\(slow)")
      await server.end(.killed)
      let dead = await world.oppi("pair", text, exits: 69)
      // A server that is not paired is not listed by 'oppi servers'.
      #expect(dead.errors.contains("the invite has its address: http://studio.lan:"), "\(dead)")
      #expect(!dead.errors.contains("oppi servers"), "\(dead)")
      #expect(await Self.names(in: world) == [])
    }
  }

  @Test(
    "a failure after the exchange says that the invite is used up, and stores nothing",
    arguments: ["/me", "/server/info"],
    [Dialect.multiplexed, .deviceKeys]
  )
  func unfinished(path: String, dialect: Dialect) {
    inTroubledWorld(dialect, isPaired: false) { world, server, trouble in
      let text = try invite(of: server)
      trouble.at(path, .answer(status: 503, error: "starting"))
      let outcome = await world.oppi("pair", text, exits: 75, saying: "starting")
      #expect(outcome.errors.contains("the invite is used up"), "\(outcome)")
      #expect(await Self.names(in: world) == [])
    }
  }

  @Test("a server that rejects all invites for a while is named as such")
  func blocked() {
    inTroubledWorld(isPaired: false) { world, server, trouble in
      let text = try invite(of: server)
      trouble.at("/pair", .answer(status: 429, error: "no"))
      let outcome = await world.oppi("pair", text)
      #expect(outcome.status != 0 && outcome.output.isEmpty, "\(outcome)")
      #expect(outcome.errors.contains("studio rejects all invites for 2 minutes"), "\(outcome)")
    }
  }

  @Test("a link that cannot be confirmed is rejected on the desktop, and nothing is sent")
  func linkWithoutTerminal() {
    inWorld(isPaired: false) { world, server in
      let desktop = VirtualDesktop(on: world.loop)
      let text = try invite(of: server)
      let program = world.program(notifying: desktop, environment: ["PATH": "/nowhere"])
      let outcome = await program.run(["pair", "--link", "--", text])
      #expect(outcome.status == 78 && outcome.output.isEmpty, "\(outcome)")
      #expect(desktop.history.map(\.summary) == ["oppi pair failed"])
      #expect(desktop.history.first?.body.contains("studio") == true, "\(desktop.history)")
      #expect(server.requests.isEmpty && world.disk.paths.isEmpty)
      await world.oppi("pair", "--link", "oppi://connect?v=3&invite=x", exits: 65)
    }
  }

  @Test("--link cannot be used with --json or without a link")
  func linkWithoutPerson() {
    inWorld(isPaired: false) { world, server in
      let json = await world.oppi("pair", "--link", "--json", try invite(of: server))
      #expect(json.status == 64 && json.error["code"] == "usage", "\(json)")
      for words in [["pair"], ["pair", "--link"]] {
        await world.oppi(words, exits: 64) { $0.output.isEmpty }
      }
      #expect(server.requests.isEmpty)
    }
  }
}
