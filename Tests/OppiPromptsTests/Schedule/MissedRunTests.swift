// SPDX-License-Identifier: MIT

import OppiText
import OppiWire
import Simulation
import Testing

@testable import OppiTestSupport

/// Slots of a schedule that passed without a run, or were triggered late.
@Suite struct MissedRunTests {
  @Test("slots without a run are shown as missed, and recorded by the next run")
  func missed() {
    inSchedule(added: ["--missed", "once"]) { machine in
      try await machine.wait(untilMinute: 0)
      try await machine.world.pass(.seconds(2 * 3600 + 600))
      #expect(await machine.row()["missedSlots"].array?.count == 3)
      #expect(await machine.oppi("schedule").output.contains("\tmissed\t"))
      _ = await machine.fire()
      #expect(await machine.states() == ["missed", "missed", "accepted"])
      #expect(machine.server.heard == ["hello"])
    }
  }

  @Test("a run that its jitter delays is neither missed nor late")
  func jitter() {
    inSchedule(added: ["--jitter", "10m"]) { machine in
      try await machine.wait(untilMinute: 0)
      try await machine.world.pass(.seconds(840))
      #expect(await machine.row()["missedSlots"] == [])
      #expect(await machine.fire().status == 0)
      #expect(await machine.states() == ["accepted"])
      try await machine.wait(untilMinute: 0)
      try await machine.world.pass(.seconds(960))
      let late = await machine.fire()
      #expect(late.errors.contains("too late"), "\(late)")
      #expect(machine.server.heard == ["hello"])
    }
  }

  @Test(
    "with --missed skip, a run is too late five minutes after its slot, and missed",
    arguments: [(290, "accepted"), (310, "missed"), (600, "missed")]
  )
  func grace(seconds: Int, state: String) {
    inSchedule(added: []) { machine in
      try await machine.wait(untilMinute: 0)
      try await machine.world.pass(.seconds(seconds))
      let run = await machine.fire()
      let isMissed = state == "missed"
      #expect(run.status == 0 && run.errors.contains("too late") == isMissed, "\(run)")
      #expect(machine.server.heard.isEmpty == isMissed)
      #expect(await machine.states() == [state])
    }
  }

  @Test("a clock that was ahead for a day does not prevent later runs")
  func clockAhead() {
    inSchedule(added: []) { machine in
      try await machine.wait(untilMinute: 0)
      machine.world.kernel.jumpDay(by: .seconds(86_400))
      #expect(await machine.fire().status == 0)
      machine.world.kernel.jumpDay(by: .seconds(-86_400))
      #expect(try await machine.fire(atMinute: 0).status == 0)
      #expect(machine.server.heard.count == 2)
      #expect(await machine.fire().errors.contains("is due"))
      #expect(machine.server.heard.count == 2)
    }
  }

  @Test("under cron, a run that starts 61 s late still belongs to its slot")
  func lateCron() {
    inSchedule(hasManager: false) { machine in
      try await machine.add(["--every", "30m", "--backend", "cron"])
      try await machine.wait(untilMinute: 0)
      try await machine.world.pass(.seconds(61))
      #expect(await machine.fire().status == 0)
      let run = await machine.row()["runs"].array?.last
      #expect(run?["slot"].string?.hasSuffix(":00:00Z") == true)
    }
  }

  @Test("under cron, slots without a run are missed, and the run belongs to the last slot")
  func cronGap() {
    inSchedule(hasManager: false) { machine in
      try await machine.add(["--every", "30m", "--backend", "cron"])
      try await machine.wait(untilMinute: 0)
      try await machine.world.pass(.seconds(3600))
      #expect(await machine.fire().status == 0)
      #expect(await machine.states() == ["missed", "missed", "missed", "accepted"])
    }
  }
  /// Starts a run on cron with a random delay of up to 25 min, in a process that is killed or not.
  private func inDelayedRun(
    isKilled: Bool,
    _ body: @escaping @Sendable (ScheduleMachine) async throws -> Void
  ) {
    inSchedule(hasManager: false) { machine in
      try await machine.add(["--every", "1h", "--backend", "cron", "--jitter", "25m"])
      try await machine.wait(untilMinute: 0)
      let program = machine.world.program(environment: machine.environment)
      let run = Task(executorPreference: machine.world.loop) {
        await program.run(["run", "standup", "--scheduled"])
      }
      try await machine.world.pass(.seconds(1))
      #expect(await machine.states().isEmpty)
      if isKilled { program.kill() } else { try await body(machine) }
      _ = await run.value
      if isKilled { try await body(machine) }
    }
  }

  @Test("under cron, a run that is killed during its random delay is still due")
  func killedInDelay() {
    inDelayedRun(isKilled: true) { machine in
      #expect(await machine.fire().status == 0)
      #expect(await machine.states() == ["accepted"])
      #expect(machine.server.heard == ["hello"])
    }
  }

  @Test("under cron, another start during the random delay of a run neither runs nor skips it")
  func startedInDelay() {
    inDelayedRun(isKilled: false) { machine in
      let second = await machine.fire()
      #expect(second.status == 0 && second.errors.contains("skipped"), "\(second)")
      try await machine.world.pass(.seconds(25 * 60 + 10))
      #expect(await machine.states() == ["accepted"])
      #expect(machine.server.heard == ["hello"])
    }
  }
}
