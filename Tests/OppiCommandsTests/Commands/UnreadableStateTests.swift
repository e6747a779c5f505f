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

  @Test("servers show does not say that a token is not stored where that cannot be read")
  func token() {
    inWorld { world, server in
      let path = "\(Self.state)/credentials.json"
      world.disk.put(Array("{".utf8), at: path)
      let shown = await world.oppi("servers", "show", "studio")
      #expect(!shown.output.contains("not stored"), "\(shown)")
      #expect(shown.output.contains("not known"), "\(shown)")
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
      #expect(asked.errors.contains("whether queued prompts wait"), "\(asked)")
    }
  }
}
