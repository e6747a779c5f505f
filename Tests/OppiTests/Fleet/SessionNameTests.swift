// SPDX-License-Identifier: MIT

import FakeServer
import OppiModel
import Simulation
import Testing

@testable import Oppi

/// Sessions named by an id, the start of an id, or `last`, on several servers.
@Suite struct SessionNameTests {
  /// Runs a body with a session on each of two servers, whose ids start with `same`.
  private static func inTwo(
    _ body:
      @escaping @Sendable (
        World, (server: VirtualServer, session: String), (server: VirtualServer, session: String)
      ) async throws -> Void
  ) {
    inWorld(.multiplexed, where: \.sessionIDPrefix, is: "same") { world, studio in
      let attic = try await world.addServer(named: "attic") { $0.sessionIDPrefix = "same" }
      var sessions: [String] = []
      for name in ["studio", "attic"] {
        let asked = await world.oppi("ask", "-q", "-w", "\(name)/demo", "hello \(name)")
        try #require(asked.status == 0, "\(asked)")
        try await world.pass()
        sessions.append(try #require(asked.lines.first))
      }
      try await body(world, (studio, sessions[0]), (attic, sessions[1]))
    }
  }

  @Test("a full id is found on the server that has it")
  func fullID() {
    Self.inTwo { world, studio, attic in
      for (server, name) in [(studio, "studio"), (attic, "attic")] {
        await world.oppi("ask", "-q", "-s", server.session, "more \(name)", exits: 0)
        try await world.pass()
        #expect(server.server.heard == ["hello \(name)", "more \(name)"])
      }
    }
  }

  @Test("a prefix that matches sessions on two servers is ambiguous unless the server is given")
  func prefix() {
    Self.inTwo { world, studio, attic in
      let both = await world.oppi("ask", "-s", "same", "--", "more", exits: 64)
      #expect(both.errors.contains("studio/\(studio.session)"), "\(both)")
      #expect(both.errors.contains("attic/\(attic.session)"), "\(both)")
      #expect(studio.server.heard.count == 1 && attic.server.heard.count == 1)
      await world.oppi("ask", "-q", "-s", "attic/same", "--", "more", exits: 0)
      try await world.pass()
      #expect(studio.server.heard.count == 1 && attic.server.heard.count == 2)
    }
  }

  @Test("a prefix is not resolved while any session of an unreachable server may match")
  func oneAway() {
    Self.inTwo { world, studio, attic in
      await attic.server.end(.inOrder)
      let prefix = await world.oppi("ask", "-s", "same", "--", "more")
      #expect(prefix.status == 69 && studio.server.heard.count == 1, "\(prefix)")
      #expect(prefix.errors.contains("use its full name: studio/\(studio.session)"), "\(prefix)")
      #expect(prefix.errors.contains("Can't reach attic"), "\(prefix)")
      await world.oppi("ask", "-q", "-s", "studio/same", "--", "more", exits: 0)
      await world.oppi("ask", "-q", "-s", studio.session, "--", "again", exits: 0)
      try await world.pass()
      #expect(studio.server.heard == ["hello studio", "more", "again"])
    }
  }

  @Test("a prefix is resolved if the last list of an unreachable server has no match")
  func excluded() {
    Self.inTwo { world, studio, attic in
      let start = String(studio.session.dropLast())
      try #require(!attic.session.hasPrefix(start))
      _ = await world.oppi("sessions", "--state", "all")
      await attic.server.end(.inOrder)
      await world.oppi("ask", "-q", "-s", start, "--", "more", exits: 0)
      try await world.pass()
      #expect(studio.server.heard == ["hello studio", "more"])
      for command in ["show", "stop"] {
        await world.oppi(command, "--", start, exits: 0)
      }
      // The server had a session whose id starts so.
      #expect(await world.oppi("show", "same").status == 69)
      // An answer decides something, so every server must have been asked.
      let answer = await world.oppi("answer", "--", start)
      #expect(answer.status == 69 && answer.errors.contains(studio.session), "\(answer)")
    }
  }

  @Test("last is the last session, on its own server")
  func last() {
    Self.inTwo { world, studio, attic in
      for (name, server, other) in [("studio", studio, attic), ("attic", attic, studio)] {
        let count = other.server.heard.count
        _ = await world.oppi("ask", "-q", "-s", server.session, "--", "more")
        try await world.pass()
        await world.oppi("ask", "-q", "-s", "last", "--", "last \(name)", exits: 0)
        try await world.pass()
        #expect(server.server.heard.last == "last \(name)")
        #expect(other.server.heard.count == count)
      }
    }
  }
}
