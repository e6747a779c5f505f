// SPDX-License-Identifier: MIT

import Simulation
import Testing

@testable import OppiTestSupport

/// Unreadable state is neither treated nor reported as missing.
@Suite struct UnreadableStateTests {
  private static let state = "\(World.home)/.local/state/oppi"

  @Test("a shortcut whose session record is unreadable does not start a new session")
  func shortcutSession() {
    inWorld { world, server in
      _ = await world.oppi("shortcuts", "add", "x", "-w", "demo", "--session", "same", "hello")
      _ = await world.oppi("run", "x")
      try await world.pass()
      let path = "\(Self.state)/shortcut-sessions.json"
      world.disk.put(Array("{".utf8), at: path)
      await world.oppi("run", "x", saying: "shortcut-sessions.json") { $0.status != 0 }
      #expect(server.sessionsMade == 1 && server.heard == ["hello"])
    }
  }

  @Test(
    "the last used session or workspace is not guessed if the history is unreadable",
    arguments: [["show", "last"], ["ask", "-s", "last", "hello"], ["new", "--print-target"]]
  )
  func last(words: [String]) {
    inWorld { world, server in
      _ = try await world.session(asking: "hello")
      let path = "\(Self.state)/history.jsonl"
      world.disk.put([UInt8](repeating: 10, count: 9 << 20), at: path)
      let outcome = await world.oppi(words, exits: 65, saying: "\(path) is larger than 8 MiB")
      #expect(outcome.output.isEmpty, "\(outcome)")
      #expect(server.heard == ["hello"])
      // A named workspace does not need the history.
      await world.oppi("new", "-w", "demo", "--print-target", exits: 0)
    }
  }

  @Test("an abandoned launch is reported, even if its target is unreadable")
  func abandonedLaunch() {
    inWorld { world, _ in
      world.disk.put(Array("{".utf8), at: "\(Self.state)/launch-target.json.999999")
      await world.oppi("new", "-w", "demo", "--print-target", exits: 0)
      let launch = await world.oppi("launch", "--print", exits: 0)
      let words = "an earlier launch did not create its session: "
      #expect(launch.errors.contains(words) && launch.errors.contains("is damaged"), "\(launch)")
    }
  }

  @Test("servers show reports an unreadable token as unknown, and not as missing")
  func token() {
    inWorld { world, server in
      let path = "\(Self.state)/credentials.json"
      world.disk.put(Array("{".utf8), at: path)
      let shown = await world.oppi("servers", "show", "studio")
      #expect(!shown.output.contains("not stored"), "\(shown)")
      #expect(shown.output.contains("unknown: "), "\(shown)")
    }
  }

  @Test("a prompt is sent with a warning if the outbox is unreadable")
  func overtaking() {
    inWorld { world, server in
      let session = try await world.session(asking: "hello")
      await world.lose(server)
      _ = await world.oppi("ask", "--queue", "--key", "k", "--session=\(session)", "later")
      try server.start()
      world.disk.put(Array("{".utf8), at: "\(Self.state)/outbox/k.json")
      let asked = await world.oppi("ask", "--session=\(session)", "now", exits: 0)
      #expect(asked.errors.contains("could not check for queued prompts"), "\(asked)")
    }
  }
}
