// SPDX-License-Identifier: MIT

import FakeServer
import OppiSystem
import OppiText
import OppiWire
import Simulation
import Testing

@testable import OppiTestSupport

/// How the runs of schedules end, and schedules that are paused.
@Suite struct ScheduleHealthTests {
  private static func enabled(_ machine: ScheduleMachine) async -> [Bool] {
    let list = await machine.oppi("schedule", "list", "--json")
    return list.json["schedules"].array?.compactMap(\.["enabled"].bool) ?? []
  }

  @Test("the list shows the rate of successes, the time and the cost")
  func list() {
    inSchedule(shortcut: ["--wait"], added: []) { machine in
      for _ in 0..<2 {
        try await machine.fire(atMinute: 0)
      }
      let row = await machine.row()
      #expect(row["succeeded"] == 2 && row["ended"] == 2, "\(row)")
      let cost = row["cost"].double ?? 0
      #expect(cost > 0.014 && cost < 0.018 && row["averageMs"].int != nil, "\(row)")
      let text = await machine.oppi("schedule")
      let cells = text.lines.first?.split(separator: "\t", omittingEmptySubsequences: false)
      #expect(cells?.count == 13 && cells?[9] == "2" && cells?[10] == "2", "\(text)")
    }
  }

  @Test("three failures in a row are reported once, until a run succeeds")
  func series() {
    inSchedule(shortcut: ["--wait"], prompt: "fail", added: []) { machine in
      let desktop = VirtualDesktop(on: machine.world.loop)
      for count in 1...5 {
        try await machine.wait(untilMinute: 0)
        let program = machine.world.program(notifying: desktop, environment: machine.environment)
        _ = await program.run(["run", "standup", "--scheduled"])
        #expect(desktop.history.count == min(count, 3), "\(desktop.history)")
      }
      let last = desktop.history.last
      #expect(last?.body.contains("3 runs in a row have failed") == true, "\(desktop.history)")
      #expect(await Self.enabled(machine) == [true])
      for (prompt, reported) in [("hello", 3), ("fail", 4), ("fail", 5), ("fail", 6), ("fail", 6)] {
        let words = ["shortcuts", "add", "standup", "--replace", "-w", "demo", "--wait", prompt]
        _ = await machine.oppi(words)
        try await machine.wait(untilMinute: 0)
        let program = machine.world.program(notifying: desktop, environment: machine.environment)
        _ = await program.run(["run", "standup", "--scheduled"])
        #expect(desktop.history.count == reported, "\(prompt): \(desktop.history)")
      }
    }
  }

  @Test("with --pause-on-failure three failures in a row pause the schedule, and two do not")
  func pausing() {
    inSchedule(shortcut: ["--wait"], prompt: "fail") { machine in
      try await machine.add(["--pause-on-failure"])
      for count in 1...3 {
        try await machine.fire(atMinute: 0)
        #expect(await Self.enabled(machine) == [count < 3])
      }
      let idle = try await machine.fire(atMinute: 0)
      #expect(idle.errors.contains("is paused"), "\(idle)")
      #expect(machine.server.heard.count == 3)
      await machine.oppi("schedule", "resume", "standup", exits: 0)
      #expect(await Self.enabled(machine) == [true])
      // The series begins anew.
      for count in 1...3 {
        try await machine.fire(atMinute: 0)
        #expect(await Self.enabled(machine) == [count < 3])
      }
    }
  }

  @Test("resuming a schedule that is not paused does not begin its series anew")
  func resumedAtWork() {
    inSchedule(shortcut: ["--wait"], prompt: "fail") { machine in
      try await machine.add(["--pause-on-failure"])
      for count in 1...3 {
        await machine.oppi("schedule", "resume", "standup", exits: 0)
        try await machine.fire(atMinute: 0)
        #expect(await Self.enabled(machine) == [count < 3])
      }
    }
  }

  @Test("a schedule that could not be resumed with all others is resumed with them later")
  func resumedLater() {
    inSchedule(added: []) { machine in
      _ = await machine.oppi("schedule", "pause", "--all")
      machine.schedulers.failControl("enable")
      await machine.oppi("schedule", "resume", "--all", exits: 69)
      #expect(await Self.enabled(machine) == [false])
      machine.schedulers.failControl()
      await machine.oppi("schedule", "resume", "--all", exits: 0)
      #expect(await Self.enabled(machine) == [true])
    }
  }

  @Test("a schedule is skipped while the continuation of its last turn is queued")
  func continuation() {
    inSchedule(shortcut: ["--wait", "--on-limit", "queue"], prompt: "usage limit") { machine in
      try await machine.add()
      try await machine.fire(atMinute: 0)
      let outbox = await machine.oppi("outbox", "--json")
      let prompts = outbox.json["prompts"].array ?? []
      #expect(prompts.count == 1 && prompts.first?["notBefore"].string != nil, "\(outbox)")
      // A file that cannot be read stops neither this nor any other schedule.
      let file = machine.world.disk.paths.first { $0.contains("/outbox/") } ?? ""
      let folder = file.split(separator: "/", omittingEmptySubsequences: false).dropLast()
      machine.world.disk.put(
        Array("{".utf8),
        at: folder.joined(separator: "/") + "/000000000000.json"
      )
      for _ in 0..<2 {
        try await machine.fire(atMinute: 0)
      }
      #expect(machine.server.heard.count == 1)
      #expect(await machine.states() == ["outbox", "skipped", "skipped"])
    }
  }

  @Test("a continuation that cannot be sent any more delays no run")
  func endedContinuation() {
    inSchedule(shortcut: ["--wait", "--on-limit", "queue"], prompt: "usage limit") { machine in
      try await machine.add()
      try await machine.fire(atMinute: 0)
      let session = try #require(machine.server.runs.first?.sessionID)
      // A continuation of a session that was continued fails.
      _ = await machine.oppi("ask", "--wait", "-s", session, "--", "hello")
      try await machine.world.pass(.seconds(1900))
      _ = await machine.oppi("outbox", "flush", "--due")
      let outbox = await machine.oppi("outbox", "list", "--all", "--json")
      #expect(outbox.json["prompts"].array?.map(\.["state"]) == ["failed"], "\(outbox)")
      try await machine.fire(atMinute: 0)
      #expect(machine.server.heard == ["usage limit", "hello", "usage limit"])
    }
  }

  @Test(
    "a continuation in another session, or with its id on another server, delays no run",
    arguments: [
      ("serverId", "sha256:" + String(repeating: "A", count: 43)), ("targetSessionId", "another1"),
    ]
  )
  func continuationElsewhere(member: String, place: String) {
    inSchedule(shortcut: ["--wait", "--on-limit", "queue"], prompt: "usage limit") { machine in
      try await machine.add()
      try await machine.fire(atMinute: 0)
      let disk = machine.world.disk
      let path = try #require(disk.paths.first { $0.contains("/outbox/") && $0.hasSuffix(".json") })
      let queued = try JSONValue(parsing: try #require(disk.contents(of: path)))
      var members = try #require(queued.object)
      members[member] = .string(place)
      disk.put(JSONValue.object(members).bytes(), at: path)
      try await machine.fire(atMinute: 0)
      #expect(machine.server.heard == ["usage limit", "usage limit"])
    }
  }

  @Test("a schedule that is paused by name after all were is not resumed with them")
  func pausedByName() {
    inSchedule(added: []) { machine in
      await machine.oppi("schedule", "pause", "--all", exits: 0)
      await machine.oppi("schedule", "pause", "standup", exits: 0)
      await machine.oppi("schedule", "resume", "--all", exits: 0)
      #expect(await Self.enabled(machine) == [false])
    }
  }

  @Test("several schedules are paused by name")
  func several() {
    inSchedule(added: []) { machine in
      _ = await machine.oppi("shortcuts", "add", "second", "-w", "demo", "hello")
      _ = await machine.oppi("schedule", "add", "second", "--every", "1h")
      await machine.oppi("schedule", "pause", "missing", "second", "standup", exits: 66)
      #expect(await Self.enabled(machine) == [false, false])
    }
  }

  @Test("all schedules are paused together, and only those are resumed together")
  func all() {
    inSchedule(added: []) { machine in
      for name in ["second", "third"] {
        _ = await machine.oppi("shortcuts", "add", name, "-w", "demo", "hello")
        _ = await machine.oppi("schedule", "add", name, "--every", "1h")
      }
      _ = await machine.oppi("schedule", "pause", "third")
      let paused = await machine.oppi("schedule", "pause", "--all", "--json")
      #expect(
        paused.json["schedules"].array?.map(\.["name"]) == ["second", "standup"],
        "\(paused)"
      )
      #expect(await Self.enabled(machine) == [false, false, false])
      await machine.oppi("schedule", "pause", "--all", exits: 0, saying: "no schedules paused")
      await machine.oppi("schedule", "resume", "--all", "--json") {
        $0.json["schedules"].array?.map(\.["name"]) == ["second", "standup"]
      }
      #expect(await Self.enabled(machine) == [true, true, false])
    }
  }

  @Test("a name or --all is required, but not both")
  func usage() {
    inSchedule { machine in
      for words in [["pause"], ["resume"], ["pause", "--all", "standup"]] {
        await machine.oppi(["schedule"] + words, exits: 64, saying: "or --all")
      }
    }
  }
}
