// SPDX-License-Identifier: MIT

import FakeServer
import OppiText
import OppiWire
import Simulation
import Testing

@testable import OppiTestSupport

/// Prompts of a conversation whose session no longer exists, which continue in a new session.
@Suite struct GoneConversationTests {
  /// Runs a shortcut once, and replaces the session of its conversation by one that does not exist.
  private static func inWorldWithoutSession(
    _ body: @escaping @Sendable (World, VirtualServer, Trouble) async throws -> Void
  ) {
    inTroubledWorld { world, server, trouble in
      let add = ["shortcuts", "add", "x", "-w", "demo", "--session", "same", "{{n}}"]
      await world.oppi(add, exits: 0)
      await world.oppi("run", "x", "--var", "n=first", exits: 0)
      try await world.pass()
      let path = "\(World.home)/.local/state/oppi/shortcut-sessions.json"
      let session = try #require(server.runs.first?.sessionID)
      let text = world.disk.text(at: path)
      try #require(text.contains(session))
      world.disk.put(text.replacing(session, with: "gone0000"), at: path)
      try await body(world, server, trouble)
    }
  }

  @Test("the prompt is in the history once, and runs once")
  func history() {
    Self.inWorldWithoutSession { world, server, _ in
      await world.oppi("run", "x", "--var", "n=second", exits: 0)
      try await world.pass()
      #expect(server.heard == ["first", "second"])
      let history = await world.oppi("history", "--json")
      #expect(history.json["asks"].array?.map(\.["prompt"]) == ["second", "first"], "\(history)")
      #expect(history.json["asks"].array?.map(\.["state"]) == ["accepted", "accepted"])
    }
  }

  @Test("--timeout limits both attempts together")
  func timeout() {
    Self.inWorldWithoutSession { world, server, trouble in
      trouble.begin { step in
        if step.isRequest("/stream") { return .proceedAfter(.seconds(4)) }
        return step.isRequest("/sessions") ? .hang : .proceed
      }
      let run = await world.oppi("run", "x", "--var", "n=second", "--timeout", "6s")
      #expect(run.status == 6 && run.elapsed < .milliseconds(6500), "\(run)")
      trouble.end()
      try await world.pass()
      #expect(server.heard == ["first"])
      await world.oppi("history", "--json") { $0.json["asks"].array?.count == 2 }
    }
  }
}
