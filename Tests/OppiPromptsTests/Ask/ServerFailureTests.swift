// SPDX-License-Identifier: MIT

import FakeServer
import OppiText
import OppiWire
import Simulation
import Testing

@testable import OppiClient
@testable import OppiTestSupport

/// Errors of commands whose server is missing, unreachable, silent or refuses the token.
@Suite struct ServerFailureTests {
  static let commands: [[String]] = [
    ["ask", "-w", "demo", "hi"], ["ask", "--wait", "-w", "demo", "hi"],
    ["ask", "-s", "last", "hi"],
    ["follow"], ["follow", "last"], ["stop", "last"], ["show", "last"], ["workspaces"],
    ["servers", "test"], ["sessions"], ["search", "hello"], ["stop", "--idle"], ["approvals"],
    ["approvals", "log"], ["approve", "none-such"], ["deny", "none-such"], ["answer", "last"],
  ]

  /// Only servers with a gate are asked for a log.
  private static func dialect(for words: [String]) -> Dialect {
    words == ["approvals", "log"] ? .gated : .deviceKeys
  }

  /// A world with a session, whose server can fail afterwards.
  private func afterAsk(
    _ dialect: Dialect,
    _ body: @escaping @Sendable (World, VirtualServer, Trouble) async throws -> Void
  ) {
    inTroubledWorld(dialect) { world, server, trouble in
      _ = try await world.session(asking: "hello")
      try await body(world, server, trouble)
      #expect(server.heard == ["hello"])
    }
  }

  @Test(
    "without pairing a command is status 78 with hints, and sends no request",
    arguments: commands + [["new", "--print-target"]]
  )
  func notPaired(words: [String]) {
    inWorld(isPaired: false) { world, server in
      let outcome = await world.oppi(words)
      #expect(outcome.status == 78 && outcome.output.isEmpty, "\(outcome)")
      #expect(outcome.errorLines.first == "oppi: not paired with any server", "\(outcome)")
      let hints = outcome.errorLines.dropFirst()
      #expect(hints.first == "  hint: \(OppiError.createInvite)", "\(outcome)")
      #expect(hints.last == "  hint: try oppi without a server: oppi demo", "\(outcome)")
      let json = await world.oppi(words + ["--json"])
      #expect(json.status == 78 && json.output.isEmpty, "\(json)")
      #expect(json.error["code"] == "not-paired", "\(json)")
      #expect(server.requests.isEmpty)
    }
  }

  @Test(
    "an unknown name is status 66, and the message has the name",
    arguments: [
      (["ask", "-w", "nix", "hi"], "no-such-workspace", "no workspace 'nix' (from --workspace)"),
      (["ask", "-s", "nix", "hi"], "no-such-session", "no session 'nix'"),
      (["ask", "-s", "last", "hi"], "no-such-session", "no session 'last'"),
      (["ask", "-w", "nix/demo", "hi"], "no-such-workspace", "no workspace 'nix/demo'"),
      (["--server", "nix", "follow"], "no-such-server", "no paired server 'nix'"),
      (["follow", "nix"], "no-such-session", "no session 'nix'"),
      (["follow"], "no-such-session", "no session is running"),
      (["stop", "nix"], "no-such-session", "no session 'nix'"),
      (["new", "--print-target", "-w", "nix"], "no-such-workspace", "no workspace 'nix'"),
      (["launch", "--print"], "no-launch-target", "no launch target"),
      (["servers", "show", "nix"], "no-such-server", "no paired server 'nix'"),
      (["servers", "test", "nix"], "no-such-server", "no paired server 'nix'"),
      (["servers", "default", "nix"], "no-such-server", "no paired server 'nix'"),
      (["servers", "forget", "nix"], "no-such-server", "no paired server 'nix'"),
      (["servers", "rename", "nix", "x"], "no-such-server", "no paired server 'nix'"),
    ] as [([String], String, String)]
  )
  func unknownName(words: [String], code: String, message: String) {
    inWorld { world, server in
      let outcome = await world.oppi(words)
      #expect(outcome.status == 66 && outcome.output.isEmpty, "\(outcome)")
      #expect(outcome.errorLines.first?.hasPrefix("oppi: \(message)") == true, "\(outcome)")
      let json = await world.oppi(["--json"] + words)
      #expect(json.status == 66 && json.output.isEmpty, "\(json)")
      #expect(json.error["code"].string == code, "\(json)")
      #expect(server.sessionsMade == 0)
    }
  }

  @Test("a token that is no longer accepted is status 77, with a hint", arguments: commands)
  func unauthorized(words: [String]) {
    afterAsk(.gated) { world, server, trouble in
      // The list comes from the cache.
      let isList = words == ["workspaces"]
      trouble.begin { $0.isRequest ? .answer(status: 401, error: "Unauthorized") : .proceed }
      await world.oppi(words, exits: 77, saying: "studio rejected this machine's token") {
        !(isList && $0.output.isEmpty) && $0.errors.contains("hint: pair again")
      }
      let json = await world.oppi(words + ["--json"], exits: 77)
      guard !isList else { return }
      #expect(json.error["code"] == "unauthorized", "\(json)")
    }
  }

  @Test("an unreachable server is status 69", arguments: commands)
  func away(words: [String]) {
    afterAsk(Self.dialect(for: words)) { world, server, _ in
      await server.end(.killed)
      let outcome = await world.oppi(words)
      // The list comes from the cache.
      #expect(outcome.status == (words == ["workspaces"] ? 0 : 69), "\(outcome)")
      #expect(outcome.errors.contains("connection refused"), "\(outcome)")
      #expect(outcome.elapsed < .seconds(20), "\(outcome)")
    }
  }

  @Test("a server that does not respond is given up after --timeout", arguments: commands)
  func slow(words: [String]) {
    afterAsk(Self.dialect(for: words)) { world, server, trouble in
      trouble.begin { $0.isRequest ? .hang : .proceed }
      let outcome = await world.oppi(["--timeout", "2s"] + words)
      // The prompt may have arrived with the creation of its session.
      let isLaunch = words == ["ask", "-w", "demo", "hi"]
      let status: Int32 = words == ["workspaces"] ? 0 : isLaunch ? 6 : 75
      #expect(outcome.status == status, "\(outcome)")
      #expect(outcome.elapsed <= .milliseconds(2500), "\(outcome)")
    }
  }
}
