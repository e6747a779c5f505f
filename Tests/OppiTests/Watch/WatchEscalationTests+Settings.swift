// SPDX-License-Identifier: MIT

import FakeServer
import OppiSystem
import OppiText
import OppiWire
import Simulation
import Testing

@testable import OppiTestSupport

/// The settings of the steps.
extension WatchEscalationTests {
  @Test(
    "a workspace's own time applies to its requests only",
    arguments: [Dialect.gated, .deviceKeys]
  )
  func workspaces(dialect: Dialect) {
    Self.with([], on: dialect) { world, server, _ in
      await world.oppi("config", "set", "-w", "webapp", "notify.deny-after", "2m", exits: 0)
      _ = try await Watching(in: world, asking: "deploy")
      let other = await world.oppi("ask", "-q", "-w", "webapp", "deploy").lines.first ?? ""
      try await world.pass(Self.tenths(15))
      #expect(server.decisions == 1)
      let words = dialect == .gated ? "Denied" : "Blocked"
      #expect(await world.oppi("show", "--", other).output == "Not pushed: \(words) by user\n")
      #expect(await world.requestIDs().count == 1)
    }
  }

  @Test("a time that could not be read is reported once, and read again")
  func unread() {
    Self.with([]) { world, server, trouble in
      _ = try await world.session(asking: "deploy")
      await world.oppi("config", "set", "-w", "demo", "notify.deny-after", "2m", exits: 0)
      // Without a list, the server must be asked which workspace the entry means.
      world.disk.put(Array("{}".utf8), at: "\(World.home)/.cache/oppi/workspaces.json")
      trouble.at("/workspaces", .answer(status: 500, error: "no"))
      let watching = try await Watching(in: world)
      try await world.pass(Self.tenths(5))
      trouble.end()
      try await world.pass(Self.tenths(10))
      #expect(server.decisions == 1)
      let outcome = await watching.end()
      let warnings = outcome.errorLines.count { $0.contains("notify.deny-after is not applied") }
      #expect(warnings == 1, "\(outcome)")
    }
  }

  /// The time of day, in minutes after the start of a world.
  private static func clock(_ minutes: Int) -> String {
    let now = 1_790_000_000 / 60
    let minute = LocalTime.minuteOfDay(at: Timestamp(seconds: (now + minutes) * 60))
    return "\(minute / 60):\(minute % 60 < 10 ? "0" : "")\(minute % 60)"
  }

  @Test("in quiet hours a request is denied without a notification, and the other steps wait")
  func quiet() {
    let hours = "\(Self.clock(-60))-\(Self.clock(6))"
    for deniesAfter in ["4m", "5h"] {
      Self.with([
        ("notify.quiet", hours), ("notify.again", "2m"), ("notify.escalate", "page"),
        ("notify.deny-after", deniesAfter),
      ]) { world, server, _ in
        let watching = try await Watching(in: world, asking: "deploy")
        try await world.pass(Self.tenths(25))
        #expect(watching.desktop.history.isEmpty && Self.pages(world) == 0)
        #expect(server.decisions == (deniesAfter == "4m" ? 1 : 0))
        try await world.pass(Self.tenths(25))
        let count = deniesAfter == "4m" ? 0 : 1
        #expect(watching.count(of: Self.still) == count && Self.pages(world) == count)
      }
    }
  }

  @Test("the notification of a request that is denied in quiet hours is withdrawn")
  func withdrawn() {
    let hours = "\(Self.clock(2))-\(Self.clock(60))"
    Self.with([("notify.quiet", hours), ("notify.deny-after", "4m")]) { world, server, _ in
      let watching = try await Watching(in: world, asking: "deploy")
      #expect(watching.summaries == ["Waiting for approval: studio/demo"])
      try await world.pass(Self.tenths(15))
      #expect(watching.summaries == ["Waiting for approval: studio/demo"] && server.decisions == 0)
      try await world.pass(Self.tenths(15))
      #expect(watching.summaries.isEmpty && server.decisions == 1)
      #expect(watching.desktop.history.count == 1)
    }
  }

  @Test("without the settings nothing is recorded, and too short a time is refused")
  func off() {
    Self.with([]) { world, server, _ in
      let watching = try await Watching(in: world, asking: "deploy")
      try await world.pass(Self.tenths(35))
      #expect(watching.count(of: Self.still) == 0 && server.decisions == 0)
      #expect(!world.disk.paths.contains { $0.contains("escalations") })
      _ = await watching.end()
      for value in ["0s", "59s", "never"] {
        await world.oppi("config", "set", "notify.again", value, exits: 64)
      }
      _ = await world.oppi("config", "set", "notify.escalate", "page")
      let warned = try await Watching(in: world)
      let outcome = await warned.end()
      #expect(outcome.errors.contains("no effect without notify.again"), "\(outcome)")
    }
  }
}
