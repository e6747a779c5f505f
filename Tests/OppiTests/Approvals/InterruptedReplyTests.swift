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
