// SPDX-License-Identifier: MIT

import LoopbackServer
import OppiModel
import OppiSystem
import Simulation
import Testing

/// `oppi run NAME --scheduled`: what a timer or cron fires.
@Suite struct ScheduledRunTests {
  @Test("a slot is run once, however often it is fired")
  func once() {
    inSchedule { machine in
      try await machine.add()
      let early = await machine.fire()
      #expect(early.status == 0 && early.errors.contains("is due"), "\(early)")
      try await machine.wait(untilMinute: 0)
      let first = await machine.fire()
      #expect(first.status == 0 && first.lines.count == 1, "\(first)")
      for _ in 0..<3 {
        let again = await machine.fire()
        #expect(again.status == 0 && again.output.isEmpty, "\(again)")
      }
      #expect(machine.server.heard == ["hello"])
      let list = await machine.oppi("schedule", "list", "--json")
      let run = list.json["schedules"].array?.first?["runs"].array?.first
      #expect(run?["slot"].string?.hasSuffix(":00:00Z") == true, "\(list)")
      #expect(run?["sessionId"].string == first.lines.first && run?["status"] == 0, "\(list)")
    }
  }

  @Test("fired at the same time it is run once, too")
  func together() {
    inSchedule { machine in
      try await machine.add("--on-overlap", "queue")
      try await machine.wait(untilMinute: 0)
      async let first = machine.fire()
      async let second = machine.fire()
      async let third = machine.fire()
      let outcomes = await [first, second, third]
      #expect(outcomes.allSatisfy { $0.status == 0 }, "\(outcomes)")
      #expect(machine.server.heard == ["hello"])
    }
  }

  @Test("killed between any two steps, a slot is run once at most")
  func killed() {
    for calls in stride(from: 1, to: 60, by: 2) {
      inSchedule { machine in
        try await machine.add()
        try await machine.wait(untilMinute: 0)
        let program = machine.world.program(
          dyingAfter: calls,
          environment: ScheduleMachine.manager
        )
        _ = await program.run(["run", "standup", "--scheduled"])
        _ = await machine.fire()
        #expect(machine.server.heard.count <= 1, "\(calls)")
        try await machine.wait(untilMinute: 0)
        let count = machine.server.heard.count
        _ = await machine.fire()
        #expect(machine.server.heard.count == count + 1, "the next slot is another: \(calls)")
      }
    }
  }

  @Test("while the session of the previous run is busy a run is skipped")
  func skips() {
    inSchedule(prompt: "deploy") { machine in
      try await machine.add(every: "1m")
      try await machine.wait(untilMinute: 0)
      #expect(await machine.fire().status == 0)
      // It waits for an approval.
      try await machine.wait(untilMinute: 1)
      let second = await machine.fire()
      #expect(second.status == 0 && second.errors.contains("skipped"), "\(second)")
      #expect(await machine.states().suffix(2) == ["started", "skipped"])
      #expect(machine.server.heard == ["deploy"])
    }
  }

  @Test(
    "a run fails where its server does not say whether the run before is at work",
    arguments: ["skip", "queue"]
  )
  func unknown(overlap: String) {
    inSchedule(prompt: "deploy") { machine in
      try await machine.add(every: "1m", "--on-overlap", overlap)
      try await machine.wait(untilMinute: 0)
      #expect(await machine.fire().status == 0)
      await machine.server.end(.inOrder)
      try await machine.wait(untilMinute: 1)
      let second = await machine.fire()
      #expect(second.status == 69, "\(second)")
      #expect(second.errors.contains("previous run is busy: Can't reach studio"), "\(second)")
      #expect(await machine.states().suffix(2) == ["started", "failed"])
      try machine.server.start()
      #expect(machine.server.heard == ["deploy"])
    }
  }

  @Test("a run whose shortcut queues is kept where its server cannot be reached")
  func unknownKept() {
    inSchedule(shortcut: ["--queue"]) { machine in
      try await machine.add(every: "1m")
      try await machine.wait(untilMinute: 0)
      #expect(await machine.fire().status == 0)
      await machine.server.end(.inOrder)
      try await machine.wait(untilMinute: 1)
      #expect(await machine.fire().status == 0)
      #expect(await machine.states().last == "outbox")
    }
  }

  @Test("a session that is gone holds no run off")
  func sessionGone() {
    inSchedule(prompt: "deploy") { machine in
      try await machine.add(every: "1m")
      try await machine.wait(untilMinute: 0)
      let first = await machine.fire()
      let path = "\(World.home)/.local/state/oppi/schedules/standup.json"
      let record = machine.text(at: path)
        .replacing(first.lines.first ?? "", with: "aaaaaaaa")
      machine.world.disk.put(Array(record.utf8), at: path)
      try await machine.wait(untilMinute: 1)
      #expect(await machine.fire().status == 0)
      #expect(machine.server.heard == ["deploy", "deploy"])
    }
  }

  @Test("... or comes after it where that is wanted")
  func queues() {
    inSchedule(prompt: "deploy") { machine in
      try await machine.add(every: "1m", "--on-overlap", "queue")
      try await machine.wait(untilMinute: 0)
      let first = await machine.fire()
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

  @Test(
    "a run that waits for its turn holds off the next, which is skipped or comes after it",
    arguments: [("skip", 1), ("queue", 2)]
  )
  func waits(overlap: String, count: Int) {
    inSchedule(shortcut: ["--wait", "--timeout", "20m"], prompt: "deploy") { machine in
      try await machine.add(every: "15m", "--on-overlap", overlap)
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

  @Test("a shortcut that queues has the slot in its key")
  func key() {
    inSchedule(shortcut: ["--queue"]) { machine in
      try await machine.add()
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

  @Test("while the prompt of the previous run is still queued a run is skipped")
  func waitsInOutbox() {
    inSchedule(shortcut: ["--queue"]) { machine in
      try await machine.add()
      try await machine.wait(untilMinute: 0)
      await machine.server.end(.inOrder)
      _ = await machine.fire()
      for _ in 0..<3 {
        try await machine.wait(untilMinute: 0)
        let skipped = await machine.fire()
        #expect(skipped.errors.contains("is still queued"), "\(skipped)")
      }
      #expect(await machine.states() == ["outbox", "skipped", "skipped", "skipped"])
      try machine.server.start()
      _ = await machine.oppi("outbox", "flush")
      #expect(machine.server.heard == ["hello"])
      try await machine.wait(untilMinute: 0)
      #expect(await machine.fire().status == 0)
      let states = await machine.states()
      #expect(states == ["outbox", "skipped", "skipped", "skipped", "started"])
    }
  }

  @Test("where it is wanted every run is kept in the outbox")
  func queuesInOutbox() {
    inSchedule(shortcut: ["--queue"]) { machine in
      try await machine.add("--on-overlap", "queue")
      try await machine.wait(untilMinute: 0)
      await machine.server.end(.inOrder)
      _ = await machine.fire()
      try await machine.wait(untilMinute: 0)
      _ = await machine.fire()
      #expect(await machine.states() == ["outbox", "outbox"])
    }
  }

  @Test("a failure is written down and told on the desktop")
  func fails() {
    inSchedule { machine in
      try await machine.add()
      try await machine.wait(untilMinute: 0)
      await machine.server.end(.inOrder)
      let desktop = VirtualDesktop(on: machine.world.loop)
      let program = machine.world.program(
        notifying: desktop,
        environment: ScheduleMachine.manager
      )
      let failed = await program.run(["run", "standup", "--scheduled"])
      #expect(failed.status == 69, "\(failed)")
      #expect(desktop.history.map(\.summary) == ["oppi run standup failed"])
      let list = await machine.oppi("schedule", "list", "--json")
      let run = list.json["schedules"].array?.first?["runs"].array?.first
      #expect(run?["state"] == "failed" && run?["status"] == 69, "\(list)")
      #expect(run?["error"].string?.contains("studio") == true, "\(list)")
    }
  }

  @Test("disabled it does nothing, and what passes meanwhile is not missed")
  func disabled() {
    inSchedule { machine in
      try await machine.add()
      _ = await machine.oppi("schedule", "disable", "standup")
      try await machine.wait(untilMinute: 0)
      let run = await machine.fire()
      #expect(run.status == 0 && run.errors.contains("is disabled"), "\(run)")
      try await machine.world.pass(.seconds(7200))
      _ = await machine.oppi("schedule", "enable", "standup")
      let list = await machine.oppi("schedule", "list", "--json")
      #expect(list.json["schedules"].array?.first?["missedSlots"].array?.isEmpty == true, "\(list)")
      #expect(machine.server.heard.isEmpty)
    }
  }

  @Test("a run that was killed is shown as interrupted, and one that goes on as running")
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

  @Test("--scheduled goes with nothing else")
  func alone() {
    inSchedule { machine in
      try await machine.add()
      for words in [["-n"], ["--key", "k"], ["--var", "a=b"]] {
        let outcome = await machine.oppi(["run", "standup", "--scheduled"] + words)
        #expect(outcome.status == 64, "\(outcome)")
      }
      #expect(await machine.states().isEmpty)
    }
  }

  @Test("under cron the slot is the minute, once however often it is fired")
  func cron() {
    inSchedule(hasManager: false) { machine in
      try await machine.add("--backend", "cron")
      try await machine.wait(untilMinute: 0)
      for _ in 0..<3 { #expect(await machine.fire().status == 0) }
      #expect(machine.server.heard == ["hello"])
      #expect(await machine.states() == ["started"])
    }
  }

  @Test("by hand it is run at once, beside the slots, and written down")
  func byHand() {
    inSchedule { machine in
      try await machine.add()
      let run = await machine.oppi("schedule", "run", "standup", "--json")
      #expect(run.status == 0 && run.json["sessionId"].string != nil, "\(run)")
      let list = await machine.oppi("schedule", "list", "--json")
      let last = list.json["schedules"].array?.first?["runs"].array?.last
      #expect(last?["slot"] == .null && last?["state"].string != nil, "\(list)")
      try await machine.wait(untilMinute: 0)
      _ = await machine.fire()
      #expect(machine.server.heard.count == 2)
    }
  }

  @Test("a schedule's shortcut is not removed; where it is no more, each run says so")
  func gone() {
    inSchedule { machine in
      try await machine.add()
      let kept = await machine.oppi("shortcuts", "remove", "standup")
      #expect(kept.status == 64 && kept.errors.contains("schedule remove standup"), "\(kept)")
      machine.world.disk.put([], at: "\(World.home)/.config/oppi/shortcuts/standup.json")
      try await machine.wait(untilMinute: 0)
      let run = await machine.fire()
      #expect(run.status == 78 && run.errors.contains("standup.json"), "\(run)")
      #expect(await machine.states() == ["failed"])
    }
  }
}
