// SPDX-License-Identifier: MIT

import OppiText
import OppiWire
import Simulation
import Testing

@testable import OppiTestSupport

/// Scheduled runs while the previous run is active or queued.
@Suite struct ScheduledOverlapTests {
  @Test("a run is skipped while the session of the previous run is busy")
  func skips() {
    inSchedule(prompt: "deploy", added: ["--every", "1m"]) { machine in
      #expect(try await machine.fire(atMinute: 0).status == 0)
      // The session waits for an approval.
      let second = try await machine.fire(atMinute: 1)
      #expect(second.status == 0 && second.errors.contains("skipped"), "\(second)")
      #expect(await machine.states().suffix(2) == ["accepted", "skipped"])
      #expect(machine.server.heard == ["deploy"])
    }
  }

  @Test(
    "a run fails if its server does not report whether the previous run is active",
    arguments: ["skip", "queue"]
  )
  func unknown(overlap: String) {
    inSchedule(prompt: "deploy") { machine in
      try await machine.add(["--every", "1m", "--on-overlap", overlap])
      #expect(try await machine.fire(atMinute: 0).status == 0)
      await machine.server.end(.inOrder)
      let second = try await machine.fire(atMinute: 1)
      #expect(second.status == 69, "\(second)")
      #expect(second.errors.contains("previous run is busy: Can't reach studio"), "\(second)")
      #expect(await machine.states().suffix(2) == ["accepted", "failed"])
      try machine.server.start()
      #expect(machine.server.heard == ["deploy"])
    }
  }

  @Test("a run of a shortcut that queues is kept if its server is unreachable")
  func unknownKept() {
    inSchedule(shortcut: ["--queue"], added: ["--every", "1m"]) { machine in
      let first = try await machine.fire(atMinute: 0)
      await machine.server.end(.inOrder)
      let second = try await machine.fire(atMinute: 1)
      #expect(first.status == 0 && second.status == 0, "\(second)")
      #expect(await machine.states().last == "outbox")
    }
  }

  @Test("a previous session that no longer exists does not block a run")
  func sessionGone() {
    inSchedule(prompt: "deploy", added: ["--every", "1m"]) { machine in
      let first = try await machine.fire(atMinute: 0)
      let path = "\(World.home)/.local/state/oppi/schedules/standup.json"
      let record = machine.text(at: path)
        .replacing(first.lines.first ?? "", with: "aaaaaaaa")
      machine.world.disk.put(Array(record.utf8), at: path)
      #expect(try await machine.fire(atMinute: 1).status == 0)
      #expect(machine.server.heard == ["deploy", "deploy"])
    }
  }

  @Test("with --on-overlap queue, a run waits for the previous run")
  func queues() {
    inSchedule(prompt: "deploy") { machine in
      try await machine.add(["--every", "1m", "--on-overlap", "queue"])
      let first = try await machine.fire(atMinute: 0)
      try await machine.wait(untilMinute: 1)
      let second = Task(executorPreference: machine.world.loop) { await machine.fire() }
      try await machine.world.pass(.seconds(20))
      #expect(machine.server.heard == ["deploy"])
      _ = await machine.oppi("schedule", "disable", "standup")
      _ = await machine.oppi("stop", first.lines.first ?? "")
      #expect(await second.value.status == 0)
      #expect(machine.server.heard == ["deploy", "deploy"])
    }
  }

  @Test("a run that found the previous one busy goes on waiting while its server is unreachable")
  func waitsWithoutServer() {
    inSchedule(
      shortcut: ["--queue"],
      prompt: "deploy",
      added: ["--every", "1m", "--on-overlap", "queue"]
    ) { machine in
      #expect(try await machine.fire(atMinute: 0).status == 0)
      try await machine.wait(untilMinute: 1)
      let second = Task(executorPreference: machine.world.loop) { await machine.fire() }
      try await machine.world.pass(.seconds(20))
      await machine.server.end(.inOrder)
      try await machine.world.pass(.seconds(60))
      #expect(await machine.states().last != "outbox")
      try machine.server.start()
      #expect(await second.value.status == 0)
      #expect(machine.server.heard == ["deploy", "deploy"])
    }
  }

  @Test(
    "a run that waits for its turn delays the next run, or the next run is skipped",
    arguments: [("skip", 1), ("queue", 2)]
  )
  func waits(overlap: String, count: Int) {
    inSchedule(shortcut: ["--wait", "--timeout", "20m"], prompt: "deploy") { machine in
      try await machine.add(["--every", "15m", "--on-overlap", overlap])
      try await machine.wait(untilMinute: 0)
      let first = Task(executorPreference: machine.world.loop) { await machine.fire() }
      try await machine.world.pass(.seconds(15 * 60 + 30))
      let second = Task(executorPreference: machine.world.loop) { await machine.fire() }
      try await machine.world.pass(.seconds(8 * 60))
      _ = await machine.oppi("schedule", "disable", "standup")
      #expect(await second.value.status == 0)
      _ = await first.value
      #expect(machine.server.heard.count == count)
      #expect(await machine.states().contains("skipped") == (overlap == "skip"))
    }
  }

  @Test("the failure of a run is reported, although the run that waited for it succeeds")
  func firstFails() {
    inSchedule(shortcut: ["--wait", "--timeout", "90s"], prompt: "deploy") { machine in
      try await machine.add(["--every", "1m", "--on-overlap", "queue"])
      try await machine.wait(untilMinute: 0)
      let run = Task(executorPreference: machine.world.loop) { await machine.fire() }
      try await machine.world.pass(.seconds(95))
      #expect(machine.server.heard == ["deploy", "deploy"])
      for id in await machine.world.requestIDs() { _ = await machine.oppi("approve", "--", id) }
      let outcome = await run.value
      #expect(outcome.status == 124, "\(outcome)")
    }
  }

  @Test("slots that become due during a run are skipped, because its timer starts nothing then")
  func dueMeanwhile() {
    inSchedule(shortcut: ["--wait", "--timeout", "150s"], prompt: "deploy") { machine in
      try await machine.add(["--every", "1m"])
      let run = try await machine.fire(atMinute: 0)
      #expect(run.status == 124, "\(run)")
      #expect(machine.server.heard == ["deploy"])
      #expect(await machine.states().suffix(2) == ["skipped", "skipped"])
    }
  }

  @Test("slots that pass during a run are not shown as missed")
  func active() {
    inSchedule(shortcut: ["--wait", "--timeout", "20m"], prompt: "deploy") { machine in
      try await machine.add(["--every", "1m"])
      try await machine.wait(untilMinute: 0)
      let run = Task(executorPreference: machine.world.loop) { await machine.fire() }
      try await machine.world.pass(.seconds(630))
      let row = await machine.row()
      #expect(row["missedSlots"] == [], "\(row)")
      #expect(row["runs"].array?.last?["state"] == "running", "\(row)")
      _ = await machine.oppi("schedule", "disable", "standup")
      _ = await run.value
    }
  }

  @Test("schedule run fails while a run is active, and sends nothing")
  func byHand() {
    inSchedule(shortcut: ["--wait", "--timeout", "20m"], prompt: "deploy") { machine in
      try await machine.add()
      try await machine.wait(untilMinute: 0)
      let run = Task(executorPreference: machine.world.loop) { await machine.fire() }
      try await machine.world.pass(.seconds(20))
      let manual = await machine.oppi("schedule", "run", "standup", exits: 75)
      #expect(manual.errors.contains("a run of standup is still active"), "\(manual)")
      #expect(machine.server.heard == ["deploy"])
      #expect(await machine.states() == ["running"])
      _ = await run.value
    }
  }

  @Test("a run is skipped while the session is busy that got the queued prompt of the previous run")
  func busyAfterQueue() {
    inSchedule(shortcut: ["--queue"], prompt: "deploy") { machine in
      try await machine.add(["--every", "1m"])
      try await machine.wait(untilMinute: 0)
      await machine.server.end(.inOrder)
      _ = await machine.fire()
      try machine.server.start()
      _ = await machine.oppi("outbox", "flush")
      #expect(machine.server.heard == ["deploy"])
      let second = try await machine.fire(atMinute: 1)
      #expect(second.errors.contains("the session of the previous run is busy"), "\(second)")
      #expect(await machine.states().suffix(2) == ["outbox", "skipped"])
      #expect(machine.server.heard == ["deploy"])
    }
  }

  @Test("a run that waits for a busy session goes on waiting while the server restarts")
  func waitsForServer() {
    inSchedule(prompt: "deploy") { machine in
      try await machine.add(["--every", "1m", "--on-overlap", "queue"])
      #expect(try await machine.fire(atMinute: 0).status == 0)
      try await machine.wait(untilMinute: 1)
      let second = Task(executorPreference: machine.world.loop) { await machine.fire() }
      try await machine.world.pass(.seconds(15))
      await machine.server.end(.inOrder)
      try await machine.world.pass(.seconds(20))
      try machine.server.start()
      _ = await machine.oppi("schedule", "disable", "standup")
      let outcome = await second.value
      #expect(outcome.status == 0, "\(outcome)")
      #expect(machine.server.heard == ["deploy", "deploy"])
    }
  }

  @Test("a run is skipped while the prompt of the previous run is still queued")
  func waitsInOutbox() {
    inSchedule(shortcut: ["--queue"], added: []) { machine in
      try await machine.wait(untilMinute: 0)
      await machine.server.end(.inOrder)
      _ = await machine.fire()
      for _ in 0..<3 {
        let skipped = try await machine.fire(atMinute: 0)
        #expect(skipped.errors.contains("is still queued"), "\(skipped)")
      }
      #expect(await machine.states() == ["outbox", "skipped", "skipped", "skipped"])
      try machine.server.start()
      _ = await machine.oppi("outbox", "flush")
      #expect(machine.server.heard == ["hello"])
      #expect(try await machine.fire(atMinute: 0).status == 0)
      let states = await machine.states()
      #expect(states == ["outbox", "skipped", "skipped", "skipped", "accepted"])
    }
  }

  @Test("with --on-overlap queue, every run is kept in the outbox")
  func queuesInOutbox() {
    inSchedule(shortcut: ["--queue"], added: ["--on-overlap", "queue"]) { machine in
      try await machine.wait(untilMinute: 0)
      await machine.server.end(.inOrder)
      _ = await machine.fire()
      try await machine.fire(atMinute: 0)
      #expect(await machine.states() == ["outbox", "outbox"])
    }
  }
}
