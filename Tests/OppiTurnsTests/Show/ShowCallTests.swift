// SPDX-License-Identifier: MIT

import OppiText
import OppiWire
import Simulation
import TestSupport
import Testing

@testable import OppiClient
@testable import OppiTestSupport

@Suite struct ShowCallTests {
  @Test("calls are numbered through all turns, and each is shown by its number")
  func numbers() {
    inWorld { world, _ in
      await world.oppi("ask", "--wait", "-w", "demo", "hello", exits: 0)
      await world.oppi("ask", "--wait", "-s", "last", "two tools", exits: 0)
      let all = await world.oppi("show", "--all", exits: 0)
      #expect(
        all.lines.filter { $0.hasPrefix("#") } == [
          "#1 bash: echo hi (done)", "#2 bash: echo one (done)", "#3 bash: echo two (done)",
        ],
        "\(all)"
      )
      let turns = await world.oppi("show", "--turns", "5", "--json").json["turns"].array ?? []
      #expect(turns.map { $0["number"].int } == [1, 2])
      let numbers = turns.flatMap { $0["calls"].array ?? [] }.map { $0["number"].int }
      #expect(numbers == [1, 2, 3])
      await world.oppi("show", "--call", "2", exits: 0) { $0.output == "one\n" }
      let call = await world.oppi("show", "--call", "3", "--json", exits: 0).json["call"]
      #expect(call["output"] == "two\n")
      await world.oppi("show", "--call", "4", exits: 66, saying: "calls 1 to 3")
    }
  }

  @Test(
    "conflicting and impossible numbers are rejected",
    arguments: [["--all", "--turns", "2"], ["--turns", "0"], ["--call", "1", "--all"]]
  )
  func conflicts(words: [String]) {
    inWorld { world, _ in await world.oppi(["show"] + words, exits: 64) }
  }

  @Test("a session without turns has nothing to show")
  func nothing() {
    inWorld { world, server in
      let client = try await world.services.connections.client(for: world.paired)
      let order = NewSession(workspaceID: server.workspaces[0].id)
      let id = try await client.within(.timeout).createSession(order).id
      let shown = await world.oppi("show", "--", id, exits: 0, saying: "has no turns")
      #expect(shown.output.isEmpty, "\(shown)")
      #expect(await world.oppi("show", "--json", "--", id).json["state"] == "idle")
    }
  }
}
