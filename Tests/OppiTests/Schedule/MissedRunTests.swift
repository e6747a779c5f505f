// SPDX-License-Identifier: MIT

import FakeServer
import OppiModel
import Simulation
import Testing

@testable import Oppi

/// Slots of a schedule that passed without a run, or were triggered late.
@Suite struct MissedRunTests {
  @Test("slots without a run are shown as missed, and recorded by the next run")
  func missed() {
    inSchedule(.multiplexed) { machine in
      try await machine.add("--missed", "once")
      try await machine.wait(untilMinute: 0)
      try await machine.world.pass(.seconds(2 * 3600 + 600))
      let list = await machine.oppi("schedule", "list", "--json")
      #expect(list.json["schedules"].array?.first?["missedSlots"].array?.count == 3, "\(list)")
      #expect(await machine.oppi("schedule").output.contains("\tmissed\t"))
      _ = await machine.fire()
      #expect(await machine.states() == ["missed", "missed", "started"])
      #expect(machine.server.heard == ["hello"])
    }
  }

  @Test("with --missed skip, a late run is missed")
  func tooLate() {
    inSchedule(.multiplexed) { machine in
      try await machine.add()
      try await machine.wait(untilMinute: 0)
      try await machine.world.pass(.seconds(600))
      let late = await machine.fire()
      #expect(late.status == 0 && late.errors.contains("too late"), "\(late)")
      #expect(machine.server.heard.isEmpty)
      #expect(await machine.states() == ["missed"])
    }
  }

  @Test("a run that its jitter delays is neither missed nor late")
  func jitter() {
    inSchedule(.multiplexed) { machine in
      try await machine.add("--jitter", "10m")
      try await machine.wait(untilMinute: 0)
      try await machine.world.pass(.seconds(840))
      let list = await machine.oppi("schedule", "list", "--json")
      #expect(list.json["schedules"].array?.first?["missedSlots"] == [], "\(list)")
      #expect(await machine.fire().status == 0)
      #expect(await machine.states() == ["started"])
      try await machine.wait(untilMinute: 0)
      try await machine.world.pass(.seconds(960))
      let late = await machine.fire()
      #expect(late.errors.contains("too late"), "\(late)")
      #expect(machine.server.heard == ["hello"])
    }
  }

  @Test(
    "a run is late five minutes after its slot",
    arguments: [(290, "started"), (310, "missed")]
  )
  func grace(seconds: Int, state: String) {
    inSchedule(.multiplexed) { machine in
      try await machine.add()
      try await machine.wait(untilMinute: 0)
      try await machine.world.pass(.seconds(seconds))
      #expect(await machine.fire().status == 0)
      #expect(await machine.states() == [state])
    }
  }

  @Test("a clock that was ahead for a day does not prevent later runs")
  func clockAhead() {
    inSchedule(.multiplexed) { machine in
      try await machine.add()
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
    inSchedule(.multiplexed, hasManager: false) { machine in
      try await machine.add(every: "30m", "--backend", "cron")
      try await machine.wait(untilMinute: 0)
      try await machine.world.pass(.seconds(61))
      #expect(await machine.fire().status == 0)
      let list = await machine.oppi("schedule", "list", "--json")
      let run = list.json["schedules"].array?.first?["runs"].array?.last
      #expect(run?["slot"].string?.hasSuffix(":00:00Z") == true, "\(list)")
    }
  }

  @Test("under cron, slots without a run are missed, and the run belongs to the last slot")
  func cronGap() {
    inSchedule(.multiplexed, hasManager: false) { machine in
      try await machine.add(every: "30m", "--backend", "cron")
      try await machine.wait(untilMinute: 0)
      try await machine.world.pass(.seconds(3600))
      #expect(await machine.fire().status == 0)
      #expect(await machine.states() == ["missed", "missed", "missed", "started"])
    }
  }
}
