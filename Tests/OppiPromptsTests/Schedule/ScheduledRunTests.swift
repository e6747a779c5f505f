// SPDX-License-Identifier: MIT

import OppiSystem
import OppiText
import OppiWire
import Simulation
import Testing

@testable import OppiTestSupport

/// `oppi run NAME --scheduled`, which a timer or cron runs.
@Suite struct ScheduledRunTests {
  @Test("a slot runs once, however often it is triggered")
  func once() {
    inSchedule(added: []) { machine in
      let early = await machine.fire()
      #expect(early.status == 0 && early.errors.contains("is due"), "\(early)")
      let first = try await machine.fire(atMinute: 0)
      #expect(first.status == 0 && first.lines.count == 1, "\(first)")
      for _ in 0..<3 {
        let again = await machine.fire()
        #expect(again.status == 0 && again.output.isEmpty, "\(again)")
      }
      #expect(machine.server.heard == ["hello"])
      let run = await machine.row()["runs"].array?.first
      #expect(run?["slot"].string?.hasSuffix(":00:00Z") == true)
      #expect(run?["sessionId"].string == first.lines.first && run?["status"] == 0)
    }
  }

  @Test("a slot that is triggered concurrently runs once")
  func together() {
    inSchedule(added: ["--on-overlap", "queue"]) { machine in
      try await machine.wait(untilMinute: 0)
      async let first = machine.fire()
      async let second = machine.fire()
      async let third = machine.fire()
      let outcomes = await [first, second, third]
      #expect(outcomes.allSatisfy { $0.status == 0 }, "\(outcomes)")
      #expect(machine.server.heard == ["hello"])
    }
  }

  @Test("a slot runs at most once if its program is killed at any step")
  func killed() {
    for calls in stride(from: 1, to: 60, by: 2) {
      inSchedule { machine in
        try await machine.add()
        try await machine.wait(untilMinute: 0)
        let program = machine.world.program(dyingAfter: calls, environment: ScheduleMachine.manager)
        _ = await program.run(["run", "standup", "--scheduled"])
        _ = await machine.fire()
        #expect(machine.server.heard.count <= 1, "\(calls)")
        try await machine.wait(untilMinute: 0)
        let count = machine.server.heard.count
        _ = await machine.fire()
        #expect(machine.server.heard.count == count + 1, "the next slot runs: \(calls)")
      }
    }
  }

  @Test("the key of a queued run contains the slot")
  func key() {
    inSchedule(shortcut: ["--queue"], added: []) { machine in
      try await machine.wait(untilMinute: 0)
      await machine.server.end(.inOrder)
      let kept = await machine.fire()
      #expect(kept.status == 0, "\(kept)")
      let outbox = await machine.oppi("outbox", "list", "--json")
      let key = outbox.json["prompts"].array?.first?["key"].string ?? ""
      #expect(key.hasPrefix("standup@") && key.hasSuffix(":00:00Z"), "\(outbox)")
      #expect(await machine.states() == ["outbox"])
    }
  }

  @Test("a failed run is recorded and shown on the desktop")
  func fails() {
    inSchedule(added: []) { machine in
      try await machine.wait(untilMinute: 0)
      await machine.server.end(.inOrder)
      let desktop = VirtualDesktop(on: machine.world.loop)
      let program = machine.world.program(notifying: desktop, environment: ScheduleMachine.manager)
      let failed = await program.run(["run", "standup", "--scheduled"])
      #expect(failed.status == 69, "\(failed)")
      #expect(desktop.history.map(\.summary) == ["oppi run standup failed"])
      let run = await machine.row()["runs"].array?.first
      #expect(run?["state"] == "failed" && run?["status"] == 69)
      #expect(run?["error"].string?.contains("studio") == true)
    }
  }

  @Test("a disabled schedule does not run, and its slots are not missed")
  func disabled() {
    inSchedule(added: []) { machine in
      _ = await machine.oppi("schedule", "disable", "standup")
      let run = try await machine.fire(atMinute: 0)
      #expect(run.status == 0 && run.errors.contains("is paused"), "\(run)")
      try await machine.world.pass(.seconds(7200))
      _ = await machine.oppi("schedule", "enable", "standup")
      #expect(await machine.row()["missedSlots"].array?.isEmpty == true)
      #expect(machine.server.heard.isEmpty)
    }
  }

  @Test("a killed run is shown as interrupted, and an active run as running")
  func interrupted() {
    inSchedule(shortcut: ["--wait", "--timeout", "20m"], prompt: "deploy") { machine in
      try await machine.add()
      try await machine.wait(untilMinute: 0)
      let program = machine.world.program(environment: ScheduleMachine.manager)
      let run = Task(executorPreference: machine.world.loop) {
        await program.run(["run", "standup", "--scheduled"])
      }
      try await machine.world.pass(.seconds(20))
      #expect(await machine.states() == ["running"])
      program.interrupt()
      _ = await run.value
      #expect(await machine.states() == ["interrupted"])
    }
  }

  @Test("--scheduled cannot be combined with other options")
  func alone() {
    inSchedule(added: []) { machine in
      for words in [["-n"], ["--key", "k"], ["--var", "a=b"]] {
        await machine.oppi(["run", "standup", "--scheduled"] + words, exits: 64)
      }
      #expect(await machine.states().isEmpty)
    }
  }

  @Test("under cron the slot is the minute, and runs once however often it is triggered")
  func cron() {
    inSchedule(hasManager: false, added: ["--backend", "cron"]) { machine in
      try await machine.wait(untilMinute: 0)
      for _ in 0..<3 { #expect(await machine.fire().status == 0) }
      #expect(machine.server.heard == ["hello"])
      #expect(await machine.states() == ["accepted"])
    }
  }

  @Test("schedule run runs the shortcut at once, outside of the slots, and records the run")
  func byHand() {
    inSchedule(added: []) { machine in
      let run = await machine.oppi("schedule", "run", "standup", "--json")
      #expect(run.status == 0 && run.json["sessionId"].string != nil, "\(run)")
      let last = await machine.row()["runs"].array?.last
      #expect(last?["slot"] == .null && last?["state"].string != nil)
      try await machine.fire(atMinute: 0)
      #expect(machine.server.heard.count == 2)
    }
  }

  @Test("a scheduled shortcut cannot be removed, and without its file each run fails")
  func gone() {
    inSchedule(added: []) { machine in
      let kept = await machine.oppi("shortcuts", "remove", "standup")
      #expect(kept.status == 64 && kept.errors.contains("schedule remove standup"), "\(kept)")
      machine.world.disk.put([], at: "\(World.home)/.config/oppi/shortcuts/standup.json")
      let run = try await machine.fire(atMinute: 0)
      #expect(run.status == 78 && run.errors.contains("standup.json"), "\(run)")
      #expect(await machine.states() == ["failed"])
    }
  }
}
