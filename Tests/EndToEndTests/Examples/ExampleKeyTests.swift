// SPDX-License-Identifier: MIT

import FakeServer
import Foundation
import OppiTransport
import TestSupport
import Testing

/// The example that keeps the key of this machine, and other key commands.
@Suite(.fewAtOnce, .enabled(if: has("openssl"))) struct ExampleKeyTests {
  private static func start() throws -> RunningServer {
    var configuration = FakeServer.Configuration()
    configuration.name = "studio"
    configuration.tls = try TLSContext.selfSigned()
    configuration.certificatePin = configuration.tls?.certificatePin
    return try FakeServer.start(configuration)
  }

  /// A home with the example's program and its key.
  private static func home() async throws -> Home {
    let home = try Home()
    try ExamplesTests.install("keys/oppi-key", to: ".local/bin/oppi-key", in: home)
    let key = try await home.shell(
      """
      mkdir -p .config/oppi-key
      openssl ecparam -name prime256v1 -genkey -noout >.config/oppi-key/key.pem
      """
    )
    try #require(key.status == 0, "\(key)")
    return home
  }

  private static func pair(
    _ home: Home,
    _ server: RunningServer,
    _ command: String? = nil
  ) async throws -> Outcome {
    let program = command ?? "\(home.folder.path)/.local/bin/oppi-key"
    let invite = try server.makeInvite().url
    return try await home.oppi("pair", "--json", "--key-command", program, "-", input: invite)
  }

  @Test("the key command enrols its key and signs for tokens, and no file has a private key")
  func example() async throws {
    let (server, home) = (try Self.start(), try await Self.home())
    let pairing = try await Self.pair(home, server)
    #expect(pairing.status == 0, "\(pairing)")
    let stored = try String(contentsOf: home.credentials, encoding: .utf8)
    #expect(stored.contains("deviceId") && !stored.contains("privateKey"), "\(stored)")
    server.expireTokens()
    let list = try await home.oppi("workspaces", "--json")
    #expect(list.status == 0 && server.refreshes == 1, "\(list)")
    let show = try await home.oppi("servers", "show", "studio")
    #expect(show.output.contains("by key command"), "\(show)")
  }

  @Test("pairing again uses the key command of the first pairing")
  func again() async throws {
    let (server, home) = (try Self.start(), try await Self.home())
    _ = try await Self.pair(home, server)
    try await home.oppi("pair", "--json", "-", input: server.makeInvite().url, exits: 0)
    let stored = try String(contentsOf: home.credentials, encoding: .utf8)
    #expect(!stored.contains("privateKey"), "\(stored)")
  }

  @Test(
    "a key command that fails uses up no invite",
    arguments: [
      ("exit 3", "exited with status 3"), ("echo no", "did not print a P-256 public key"),
      ("yes", "is too long"), (#"[ "$1" = sign ] && exit; PUBLIC"#, "ECDSA signature"),
      (#"[ "$1" = sign ] && exec SIGN other.pem; PUBLIC"#, "does not match its public key"),
    ]
  )
  func failure(script: String, message: String) async throws {
    let (server, home) = (try Self.start(), try await Self.home())
    let key = ".config/oppi-key/key.pem"
    let lines = script.replacing("PUBLIC", with: "openssl pkey -pubout -in \(key)")
      .replacing("SIGN", with: "openssl dgst -sha256 -sign")
    try home.write("#!/bin/sh\n\(lines)\n", to: "key")
    _ = try await home.shell(
      "chmod +x key; openssl ecparam -name prime256v1 -genkey -noout >other.pem"
    )
    let invite = try server.makeInvite().url
    let words = ["pair", "--json", "--key-command", "\(home.folder.path)/key", "-"]
    let outcome = try await home.oppi(words, input: invite, exits: 78)
    #expect(outcome.errors.contains(message), "\(outcome)")
    #expect(!server.journal.requests.contains { $0.path == "/pair" })
    let good = try await home.oppi(
      "pair",
      "--key-command",
      "\(home.folder.path)/.local/bin/oppi-key",
      "-",
      input: invite
    )
    #expect(good.status == 0, "\(good)")
  }

  @Test("a program that cannot start is named with the remedy")
  func missing() async throws {
    let (server, home) = (try Self.start(), try await Self.home())
    _ = try await Self.pair(home, server)
    _ = try await home.shell("rm .local/bin/oppi-key")
    server.expireTokens()
    let outcome = try await home.oppi("workspaces", "--json", exits: 78)
    #expect(outcome.errors.contains("cannot start the key command of studio"), "\(outcome)")
  }
}
