// SPDX-License-Identifier: MIT

import OppiSystem
import OppiWire
import Simulation
import Testing

@testable import OppiTestSupport

/// Settings that change while `oppi watch` runs.
@Suite struct WatchSettingsTests {
  private typealias Steps = WatchEscalationTests

  @Test("a removed notify.deny-after denies nothing more", arguments: [[], ["-w", "demo"]])
  func unset(choice: [String]) {
    Steps.with([]) { world, server, _ in
      await world.oppi(["config", "set"] + choice + ["notify.deny-after", "2m"], exits: 0)
      let watching = try await Watching(in: world, asking: "deploy")
      try await world.pass(Steps.tenths(5))
      await world.oppi(["config", "unset"] + choice + ["notify.deny-after"], exits: 0)
      try await world.pass(Steps.tenths(30))
      #expect(server.decisions == 0 && watching.summaries == ["Waiting for approval: studio/demo"])
      let outcome = await watching.end()
      #expect(outcome.errors.contains("settings read again: \(World.configFile)"), "\(outcome)")
    }
  }

  @Test("a time that is set or changed applies to requests that are pending already")
  func set() {
    for isChanged in [true, false] {
      Steps.with(isChanged ? [("notify.deny-after", "5h")] : []) { world, server, _ in
        _ = try await Watching(in: world, asking: "deploy")
        await world.oppi("config", "set", "-w", "webapp", "notify.deny-after", "1m", exits: 0)
        try await world.pass(Steps.tenths(20))
        #expect(server.decisions == 0)
        await world.oppi("config", "set", "notify.deny-after", "2m", exits: 0)
        try await world.pass(Steps.tenths(15))
        #expect(server.decisions == 1)
        await world.oppi("config", "set", "notify.deny-after", "6m", exits: 0)
        try await world.pass(Steps.tenths(1))
        _ = try await world.session(asking: "deploy")
        try await world.pass(Steps.tenths(25))
        #expect(server.decisions == 1, "the second change counts, too")
      }
    }
  }

  @Test("another notify.command gets the requests that are pending, and later ones")
  func command() {
    inWorld { world, server in
      for name in ["phone", "pager"] { world.programs.put(name, printing: "") }
      func runs(_ name: String) -> Int {
        world.programs.runs.count { $0.arguments.first == name }
      }
      await world.oppi("config", "set", "notify.command", "phone", exits: 0)
      let watching = try await Watching(in: world, isDesktopRunning: false, asking: "deploy")
      #expect(runs("phone") == 1)
      await world.oppi("config", "set", "notify.command", "pager", exits: 0)
      try await world.pass(.seconds(10))
      #expect(runs("pager") == 1 && runs("phone") == 1)
      await world.oppi("config", "unset", "notify.command", exits: 0)
      try await world.pass(.seconds(10))
      _ = try await world.session(asking: "deploy")
      try await world.pass(.seconds(10))
      #expect(runs("pager") == 1 && runs("phone") == 1)
      let outcome = await watching.end()
      #expect(outcome.errors.contains("notifications are off"), "\(outcome)")
    }
  }

  @Test("notify.private hides what is shown already, and shows it again once it is unset")
  func isPrivate() {
    inWorld { world, server in
      let watching = try await Watching(in: world, asking: "deploy")
      #expect(watching.summaries == ["Waiting for approval: studio/demo"])
      await world.oppi("config", "set", "notify.private", "true", exits: 0)
      try await world.pass(.seconds(10))
      #expect(watching.summaries == ["Waiting for approval"])
      await world.oppi("config", "unset", "notify.private", exits: 0)
      try await world.pass(.seconds(10))
      #expect(watching.summaries == ["Waiting for approval: studio/demo"])
    }
  }

  @Test("invalid settings are reported once, and the known ones apply until they are corrected")
  func invalid() {
    Steps.with([("notify.deny-after", "2m")]) { world, server, _ in
      let watching = try await Watching(in: world, asking: "deploy")
      for text in [#"{"notify": {"deny-after": "soon"}}"#, "{"] {
        world.disk.put(text, at: World.configFile)
        try await world.pass(Steps.tenths(2))
      }
      try await world.pass(Steps.tenths(8))
      #expect(server.decisions == 1)
      world.disk.put("{}", at: World.configFile)
      try await world.pass(.seconds(10))
      _ = try await world.session(asking: "deploy")
      try await world.pass(Steps.tenths(20))
      #expect(server.decisions == 1)
      let outcome = await watching.end()
      let warnings = outcome.errorLines.filter { $0.contains("the settings are not read again") }
      #expect(warnings.count == 2, "\(outcome)")
    }
  }

  @Test("settings that do not change are not applied again")
  func unchanged() {
    inWorld { world, server in
      let watching = try await Watching(in: world, asking: "deploy")
      // The approval has 120 s.
      try await world.pass(.seconds(30))
      let outcome = await watching.end()
      #expect(!outcome.errors.contains("settings"), "\(outcome)")
      #expect(watching.desktop.history.count == 1)
    }
  }
}
