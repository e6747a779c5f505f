// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiSystem
import Simulation
import Testing

@testable import Oppi

/// When a watch delivers queued prompts.
@Suite struct WatchOutboxTests {
  /// The deliveries of a watch to a server, for which a prompt is queued.
  private struct Deliveries {
    private let flow: FlowWorld
    private var outbox = WatchOutbox()

    init(_ flow: FlowWorld) throws {
      self.flow = flow
      try flow.context.outbox.save(
        QueuedPrompt(
          key: try #require(OutboxKey("nightly")),
          isKeyKept: false,
          target: QueuedPrompt.Target(
            serverID: flow.paired[0].id,
            serverName: flow.paired[0].name,
            workspaceID: flow.servers[0].workspaces[0].id,
            workspaceName: "demo",
            sessionID: nil
          ),
          content: Prompt("hello", clientTurnID: "turn-1"),
          createdAt: flow.context.now(),
          expiresAt: nil
        )
      )
    }

    /// Whether a delivery begins after the server has answered.
    mutating func begins(isBack: Bool) -> Bool {
      outbox.job(for: flow.paired[0], isBack: isBack, in: flow.context) != nil
    }

    mutating func end() {
      let policy = OutputPolicy(
        options: GlobalOptions(),
        environment: [:],
        destination: .init(isOutputTerminal: false, isErrorTerminal: false, width: nil)
      )
      let output = ConsoleWatchOutput(
        output: Output(policy: policy, on: flow.world.loop) { _, _ in },
        isPrivate: false,
        now: flow.context.now
      )
      _ = outbox.take([], of: flow.paired[0], worded: output)
    }
  }

  @Test("a server that comes back during a delivery gets one more at once, and then none for 30 s")
  func back() {
    inFlowWorld(["studio"]) { flow in
      var deliveries = try Deliveries(flow)
      let first = deliveries.begins(isBack: false)
      let meanwhile = deliveries.begins(isBack: true)
      deliveries.end()
      let second = deliveries.begins(isBack: false)
      deliveries.end()
      let third = deliveries.begins(isBack: false)
      #expect([first, meanwhile, second, third] == [true, false, true, false])
      try await flow.world.pass(.seconds(30))
      let later = deliveries.begins(isBack: false)
      #expect(later)
    }
  }
}
