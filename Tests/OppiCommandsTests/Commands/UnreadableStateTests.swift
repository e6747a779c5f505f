// SPDX-License-Identifier: MIT

import LoopbackServer
import OppiModel
import Simulation
import Testing

/// What cannot be read is neither taken for absent nor said to be.
@Suite struct UnreadableStateTests {
  private static let state = "\(World.home)/.local/state/oppi"

  @Test("a shortcut whose session cannot be read opens no new one")
  func shortcutSession() {
    inWorld { world, server in
      _ = await world.oppi(
        "shortcuts",
        "add",
        "x",
        "-w",
        "demo",
        "--session",
        "same",
        "hello"
      )
      _ = await world.oppi("run", "x")
      try await world.pass()
      let path = "\(Self.state)/shortcut-sessions.json"
      world.disk.put(Array("{".utf8), at: path)
      let run = await world.oppi("run", "x")
      #expect(run.status != 0 && run.errors.contains("shortcut-sessions.json"), "\(run)")
      #expect(server.sessionsMade == 1 && server.heard == ["hello"])
    }
  }

  @Test(
    "what was used last is not guessed where it cannot be read",
    arguments: [["show", "last"], ["ask", "-s", "last", "hello"], ["new", "--print-target"]]
  )
  func last(words: [String]) {
    inWorld { world, server in
      _ = try await world.session(asking: "hello")
      let path = "\(Self.state)/history.jsonl"
      world.disk.put([UInt8](repeating: 10, count: 9 << 20), at: path)
      let outcome = await world.oppi(words)
      #expect(outcome.status == 65 && outcome.output.isEmpty, "\(outcome)")
      #expect(outcome.errors.contains("\(path) is larger than 8 MiB"), "\(outcome)")
      #expect(server.heard == ["hello"])
      // What is named needs no memory.
      let named = await world.oppi("new", "-w", "demo", "--print-target")
      #expect(named.status == 0, "\(named)")
    }
  }

  @Test("a launch that came to nothing is told of, also where its target cannot be read")
  func abandonedLaunch() {
    inWorld { world, _ in
      world.disk.put(Array("{".utf8), at: "\(Self.state)/launch-target.json.999999")
      #expect(await world.oppi("new", "-w", "demo", "--print-target").status == 0)
      let launch = await world.oppi("launch", "--print")
      #expect(launch.status == 0, "\(launch)")
      let words = "an earlier launch did not create its session: "
      #expect(launch.errors.contains(words) && launch.errors.contains("is damaged"), "\(launch)")
    }
  }

  @Test("servers show does not say that a token is not stored where that cannot be read")
  func token() {
    inWorld { world, server in
      let path = "\(Self.state)/credentials.json"
      world.disk.put(Array("{".utf8), at: path)
      let shown = await world.oppi("servers", "show", "studio")
      #expect(!shown.output.contains("not stored"), "\(shown)")
      #expect(shown.output.contains("unknown: "), "\(shown)")
    }
  }

  @Test("a prompt beside an unreadable outbox is sent with a warning about what may come after it")
  func overtaking() {
    inWorld { world, server in
      let session = try await world.session(asking: "hello")
      await world.lose(server)
      _ = await world.oppi("ask", "--queue", "--key", "k", "--session=\(session)", "later")
      try server.start()
      world.disk.put(Array("{".utf8), at: "\(Self.state)/outbox/k.json")
      let asked = await world.oppi("ask", "--session=\(session)", "now")
      #expect(asked.status == 0, "\(asked)")
      #expect(asked.errors.contains("could not check for queued prompts"), "\(asked)")
    }
  }
}
