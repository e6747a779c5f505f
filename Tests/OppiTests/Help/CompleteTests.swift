// SPDX-License-Identifier: MIT

import FakeServer
import Simulation
import Testing

@testable import OppiTestSupport

/// The candidates of completion.
@Suite struct CompleteTests {
  @Test("the server of the environment is chosen, as that of --server is")
  func server() {
    inWorld { world, _ in
      _ = try await world.addServer(named: "office")
      await world.oppi("workspaces", exits: 0)
      for (words, environment) in [
        (["--server", "office"], [:]), ([], ["OPPI_SERVER": "office"]),
      ] as [([String], [String: String])] {
        let line = ["__complete", "--"] + words + ["ask", "-w", ""]
        await world.oppi(line, environment: environment, exits: 0) {
          $0.output.contains("office") && !$0.output.contains("studio")
        }
      }
    }
  }

  @Test("a prompt that failed can be completed, and one that was delivered cannot")
  func prompts() {
    inWorld { world, server in
      await world.oppi("ask", "--key", "delivered", "-w", "demo", "hello", exits: 0)
      await world.lose(server)
      let words = ["ask", "--queue", "--key", "failed", "-w", "studio/demo", "-m", "gpt5", "hello"]
      await world.oppi(words, exits: 0)
      try server.start()
      await world.oppi("outbox", "flush", saying: "gpt5")
      await world.oppi("__complete", "--", "outbox", "retry", "", exits: 0) {
        $0.lines.map { String($0.prefix(6)) } == ["failed"]
      }
    }
  }
}
