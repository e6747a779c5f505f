// SPDX-License-Identifier: MIT

import FakeServer
import OppiModel
import Simulation
import Testing

@testable import Oppi

/// Replies to requests that are interrupted, or whose connection is lost, before the server confirms
/// them.
@Suite struct InterruptedReplyTests {
  /// Runs a reply, interrupts it while the server is silent, and returns what it reported.
  private static func interrupted(
    _ words: [String],
    in world: World,
    _ trouble: Trouble,
    at isReply: @escaping @Sendable (Step) -> Bool
  ) async throws -> Program.Outcome {
    trouble.begin { isReply($0) ? .hang : .proceed }
    let program = world.program()
    let running = Task(executorPreference: world.loop) { await program.run(words) }
    try await world.pass(.seconds(1))
    program.interrupt()
    return await running.value
  }

  @Test("an interrupted decision says that it may have been made", arguments: ["approve", "deny"])
  func decision(command: String) {
    inTroubledWorld(.multiplexed) { world, _, trouble in
      let id = try await world.request(asking: "deploy")
      let outcome = try await Self.interrupted([command, "--", id], in: world, trouble) {
        $0.isRequest("/respond")
      }
      #expect(outcome.status == 6, "\(outcome)")
      #expect(outcome.errors.contains("could not confirm that request \(id)"), "\(outcome)")
    }
  }

  @Test("an interrupted answer to a dialog says that it may have been given")
  func dialog() {
    inTroubledDialogWorld { world, _, trouble in
      let id = try await world.request(asking: "gate")
      let words = ["answer", "--", id, "Yes"]
      let outcome = try await Self.interrupted(words, in: world, trouble) {
        $0.isRequest("/command")
      }
      #expect(outcome.status == 6, "\(outcome)")
      #expect(outcome.errors.contains("could not confirm that question \(id)"), "\(outcome)")
    }
  }

  @Test("a chat says that a decision whose response is lost may have been made")
  func chat() {
    inTroubledWorld(.multiplexed) { world, server, trouble in
      let talk = try await ChatTerminal(in: world)
      try await talk.say("deploy", see: "proposed, not yet run")
      trouble.at("/respond", .drop)
      try await talk.rest()
      talk.type("a")
      try await world.pass(.seconds(1))
      try await talk.type(ChatTerminal.enter, see: "the server did not confirm it")
      #expect(talk.shows("your decision: allow once, unknown"), "\(talk.lines)")
      // It is still pending, and can be decided again.
      trouble.end()
      try await talk.rest()
      talk.type("a")
      try await world.pass(.seconds(1))
      try await talk.type(ChatTerminal.enter, see: "your decision: allow once, confirmed")
      try await talk.leave()
      #expect(server.decisions == 2)
    }
  }

  @Test("a gateway's error says that a decision may have been made; the server's own does not")
  func gateway() {
    for (status, isUnknown) in [
      (500, false), (501, false), (502, true), (503, false), (504, true), (505, false),
    ] {
      inTroubledWorld(.multiplexed) { world, server, trouble in
        let id = try await world.request(asking: "deploy")
        trouble.at("/respond", .answer(status: status, error: "boom"))
        let outcome = await world.oppi("approve", "--", id)
        #expect((outcome.status == 6) == isUnknown && outcome.status != 0, "\(status): \(outcome)")
      }
    }
  }

  @Test("an interruption before the reply is sent decides nothing, and claims nothing")
  func before() {
    inTroubledWorld(.multiplexed) { world, server, trouble in
      let id = try await world.request(asking: "deploy")
      let outcome = try await Self.interrupted(["approve", "--", id], in: world, trouble) {
        $0.isRequest("/permissions/pending")
      }
      #expect(!outcome.errors.contains("could not confirm"), "\(outcome)")
      #expect(server.decisions == 0)
    }
  }

  @Test("an answer over a stream that is lost afterwards may have been given")
  func stream() {
    inTroubledWorld(.multiplexed) { world, _, trouble in
      let session = try await world.session(asking: "question")
      trouble.begin { $0.isMessage("extension_ui_response") ? .drop : .proceed }
      let outcome = await world.oppi("answer", "--", session, "1", exits: 6)
      #expect(outcome.errors.contains("not sent again"), "\(outcome)")
    }
  }
}
