// SPDX-License-Identifier: MIT

import OppiSystem
import OppiText
import OppiWire
import Simulation
import Testing

@testable import OppiTestSupport

/// Schedules whose records are damaged, or whose scheduler is not running.
@Suite struct ScheduleFailureTests {
  private static let units = "\(World.home)/.config/systemd/user/oppi-schedule-standup"
  private static let record = "\(World.home)/.local/state/oppi/schedules/standup.json"

  @Test(
    "a schedule that cannot be removed from the crontab stays enabled",
    arguments: ["disable", "remove"]
  )
  func stays(verb: String) {
    inSchedule(hasManager: false) { machine in
      await machine.oppi("schedule", "add", "standup", "--every", "30m", exits: 0)
      machine.schedulers.crontab? += "# END oppi schedule\n"
      await machine.oppi("schedule", verb, "standup", exits: 78)
      #expect(await machine.row()["enabled"] == true)
      let run = try await machine.fire(atMinute: 0)
      #expect(run.status == 0 && machine.server.heard == ["hello"], "\(run)")
    }
  }

  @Test("a timer that cannot be stopped is not removed")
  func timerStays() {
    inSchedule(added: []) { machine in
      machine.schedulers.failControl("disable", "--now")
      await machine.oppi("schedule", "remove", "standup", exits: 69, saying: "Job failed")
      #expect(machine.world.disk.contents(of: "\(Self.units).timer") != nil)
      await machine.oppi("schedule", "list", "--json") { $0.json["schedules"].array?.count == 1 }
      machine.schedulers.failControl()
      await machine.oppi("schedule", "remove", "standup", exits: 0)
      #expect(machine.world.disk.contents(of: "\(Self.units).timer") == nil)
    }
  }

  @Test("a damaged record is named, does not hide other schedules, and can be removed")
  func damaged() {
    inSchedule { machine in
      machine.schedulers.crontab = "# mine\n"
      _ = await machine.oppi(["shortcuts", "add", "other", "-w", "demo", "hello"])
      for (name, backend) in [("standup", "systemd"), ("other", "cron")] {
        let added = await machine.oppi(
          ["schedule", "add", name, "--every", "1h", "--backend", backend]
        )
        #expect(added.status == 0, "\(added)")
      }
      machine.world.disk.put(Array("{}".utf8), at: Self.record)
      for words in [["schedule"], ["schedule", "next"]] {
        await machine.oppi(words, exits: 78, saying: Self.record) { $0.output.hasPrefix("other\t") }
      }
      await machine.oppi("run", "standup", "--scheduled", exits: 78)
      await machine.oppi("schedule", "remove", "standup", exits: 0)
      await machine.oppi("schedule", exits: 0)
      #expect(machine.text(at: "\(Self.units).timer").isEmpty)
      #expect(machine.schedulers.crontab?.contains("run other --scheduled") == true)
    }
  }

  @Test("a damaged record keeps its crontab lines and does not block changes to others")
  func damagedLines() {
    inSchedule(hasManager: false) { machine in
      _ = await machine.oppi(["shortcuts", "add", "other", "-w", "demo", "hello"])
      _ = await machine.oppi("schedule", "add", "standup", "--cron", "1 2 * * *")
      let good = machine.text(at: Self.record)
      machine.world.disk.put(Array("{}".utf8), at: Self.record)
      await machine.oppi("schedule", "add", "other", "--cron", "3 4 * * *", exits: 0)
      let both = machine.schedulers.crontab
      #expect(both?.contains("\n1 2 * * * ") == true && both?.contains("\n3 4 * * * ") == true)
      machine.world.disk.put(Array(good.utf8), at: Self.record)
      await machine.oppi("schedule", "remove", "other", exits: 0)
      #expect(machine.schedulers.crontab?.contains("run standup --scheduled") == true)
      #expect(machine.schedulers.crontab?.contains("run other") == false)
    }
  }

  @Test("doctor reports a schedule missing from the crontab, and an unreadable crontab")
  func crontabRemoved() {
    inSchedule(hasManager: false) { machine in
      _ = await machine.oppi("schedule", "add", "standup", "--every", "1h")
      await machine.oppi("doctor", "--json") { $0.findings(of: "schedules") == ["ok: 1 schedule"] }
      machine.schedulers.crontab = nil
      let removed = await machine.oppi("doctor", "--json")
      #expect(
        removed.findings(of: "schedules")
          == ["fault: schedule standup does not run: it is not in the crontab"],
        "\(removed)"
      )
      machine.world.programs.put("crontab") { _ in
        .init(errors: Array("you are not allowed to use crontab\n".utf8), status: 1)
      }
      let unread = await machine.oppi("doctor", "--json")
      #expect(
        unread.findings(of: "schedules")
          == ["fault: crontab -l failed: you are not allowed to use crontab"],
        "\(unread)"
      )
    }
  }

  @Test("add and doctor report that no cron daemon is running, if that can be detected")
  func noDaemon() {
    inSchedule(hasManager: false) { machine in
      let add = ["schedule", "add", "--replace", "standup", "--every", "1h"]
      let words = "the cron daemon is not running"
      #expect(await machine.oppi(add).errors.contains(words) == false)
      machine.world.disk.put(Array("init\n".utf8), at: "/proc/1/comm")
      await machine.oppi(add, exits: 0, saying: words)
      #expect(await machine.oppi("doctor").output.contains(words))
      machine.world.disk.put(Array("crond\n".utf8), at: "/proc/7/comm")
      #expect(await machine.oppi(add).errors.contains(words) == false)
      #expect(await machine.oppi("doctor").output.contains(words) == false)
    }
  }

  @Test("without the user manager, a timer can be disabled, moved to cron and removed")
  func managerGone() {
    inSchedule { machine in
      let gone = ["XDG_RUNTIME_DIR": ""]
      let add = ["schedule", "add", "--replace", "standup", "--every", "1h"]
      await machine.oppi(add, exits: 0)
      await machine.oppi("schedule", "disable", "standup", environment: gone, exits: 0)
      let enabled = await machine.oppi("schedule", "enable", "standup", environment: gone)
      #expect(enabled.status == 69 && enabled.errors.contains("--backend cron"), "\(enabled)")
      let moved = await machine.oppi(add + ["--backend", "cron"], environment: gone)
      #expect(moved.status == 0 && machine.text(at: "\(Self.units).timer").isEmpty, "\(moved)")
      #expect(machine.schedulers.crontab?.contains("run standup --scheduled") == true)
      await machine.oppi(add, exits: 0)
      #expect(machine.schedulers.crontab == nil, "a user without a crontab has none again")
      let removed = await machine.oppi("schedule", "remove", "standup", environment: gone)
      #expect(removed.status == 0 && machine.text(at: "\(Self.units).timer").isEmpty, "\(removed)")
    }
  }
}
