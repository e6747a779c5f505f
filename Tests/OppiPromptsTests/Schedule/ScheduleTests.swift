// SPDX-License-Identifier: MIT

import OppiText
import Simulation
import Testing

@testable import OppiTestSupport

@Suite struct ScheduleTests {
  private static let units = "\(World.home)/.config/systemd/user/oppi-schedule-standup"
  private static let record = "\(World.home)/.local/state/oppi/schedules/standup.json"

  @Test("a schedule on systemd is a timer and a service, verified before installation")
  func timer() {
    inSchedule { machine in
      let added = await machine.oppi("schedule", "add", "standup", "--every", "30m")
      #expect(
        added.status == 0 && added.errors.contains("scheduled standup by systemd"),
        "\(added)"
      )
      let timer = machine.text(at: "\(Self.units).timer")
      #expect(timer.contains("OnCalendar=*-*-* *:00,30:00 UTC\n"), "\(timer)")
      #expect(timer.contains("Persistent=false\n") && timer.contains("AccuracySec=1s\n"))
      let service = machine.text(at: "\(Self.units).service")
      #expect(service.contains("ExecStart=:/bin/oppi run standup --scheduled\n"), "\(service)")
      #expect(service.contains("SuccessExitStatus=75\n") && !service.contains("hello"))
      let commands = machine.schedulers.commands.filter { !$0.contains("calendar") }
      #expect(commands.first?.hasPrefix("systemd-analyze --user verify --man=no /") == true)
      #expect(
        commands.dropFirst() == [
          "systemctl --user daemon-reload", "systemctl --user enable oppi-schedule-standup.timer",
          "systemctl --user restart oppi-schedule-standup.timer",
        ]
      )
      #expect(!machine.world.disk.paths.contains { $0.contains("/verify/") })
      await machine.oppi("schedule", "remove", "standup", exits: 0)
      #expect(
        !machine.world.disk.paths.contains { $0.contains("standup") && $0.contains("schedule") }
      )
    }
  }

  @Test("--missed, --jitter, the time zone and the user's own folders are in the units")
  func options() {
    inSchedule { machine in
      let words = ["--cron", "0 9 13 * fri", "--tz", "Europe/Berlin", "--missed", "once"]
      let state = ["XDG_CACHE_HOME": "/some where/50%"]
      let plan = await machine.oppi(
        ["schedule", "add", "-n", "standup", "--jitter", "90s", "--json"] + words,
        environment: state
      )
      let files = plan.json["files"].array ?? []
      let timer = files.last?["text"].string ?? ""
      #expect(timer.contains("OnCalendar=*-*-13 09:00:00 Europe/Berlin\n"), "\(plan)")
      #expect(timer.contains("OnCalendar=Fri *-*-* 09:00:00 Europe/Berlin\n"))
      #expect(timer.contains("Persistent=true\n") && timer.contains("RandomizedDelaySec=90000ms\n"))
      let service = files.first?["text"].string ?? ""
      #expect(service.contains("Environment=\"XDG_CACHE_HOME=/some where/50%%\"\n"), "\(service)")
      #expect(machine.text(at: Self.record).isEmpty, "the prompt is empty; nothing was sent")
    }
  }

  @Test("a unit that oppi did not write, or that systemd rejects, leaves no schedule")
  func refused() {
    inSchedule { machine in
      machine.world.disk.put(Array("[Unit]\n".utf8), at: "\(Self.units).timer")
      let foreign = await machine.oppi("schedule", "add", "standup", "--every", "1h")
      #expect(
        foreign.status == 73 && foreign.errors.contains("was not written by oppi"),
        "\(foreign)"
      )
      #expect(machine.text(at: "\(Self.units).timer") == "[Unit]\n")
      #expect(await machine.oppi("schedule").output.isEmpty)
    }
    inSchedule { machine in
      machine.schedulers.refuseUnits("Unknown key name 'X'")
      let refused = await machine.oppi("schedule", "add", "standup", "--every", "1h")
      #expect(refused.status == 69 && refused.errors.contains("Unknown key name"), "\(refused)")
      #expect(!machine.world.disk.paths.contains { $0.contains("systemd/user") })
      #expect(await machine.oppi("schedule").output.isEmpty)
    }
  }

  @Test("a changed unit is not modified, and a failed change keeps the earlier schedule")
  func changed() {
    inSchedule { machine in
      let words = ["schedule", "add", "standup", "--every"]
      _ = await machine.oppi(words + ["1h"])
      let timer = machine.text(at: "\(Self.units).timer")
      machine.schedulers.failControl("restart")
      await machine.oppi(words + ["2h", "--replace"], exits: 69, saying: "Job failed")
      #expect(machine.text(at: "\(Self.units).timer") == timer)
      let list = await machine.oppi("schedule", "list", "--json")
      let row = list.json["schedules"].array?.first
      #expect(row?["trigger"]["text"] == "1h" && row?["enabled"] == true, "\(list)")
      machine.schedulers.failControl()
      let mine = Array((timer + "# mine\n").utf8)
      machine.world.disk.put(mine, at: "\(Self.units).timer")
      await machine.oppi(words + ["2h", "--replace"], exits: 73, saying: "was changed after")
      await machine.oppi("schedule", "remove", "standup", exits: 0, saying: "not modified")
      #expect(machine.world.disk.contents(of: "\(Self.units).timer") == mine)
      #expect(machine.text(at: "\(Self.units).service").isEmpty)
    }
  }

  @Test("a schedule on cron is a line of the user's crontab, whose other lines stay")
  func crontab() {
    inSchedule(hasManager: false) { machine in
      machine.schedulers.crontab = "# mine\n"
      let words = ["schedule", "add", "standup", "--cron", "0 9 * * mon-fri"]
      await machine.oppi(words + ["-n"], environment: ["XDG_CACHE_HOME": "/a %"]) {
        $0.output.contains(#"1-5 /usr/bin/env 'XDG_CACHE_HOME=/a \%' /bin/oppi"#)
      }
      await machine.oppi(words, exits: 0, saying: "by cron")
      let line = "0 9 * * 1-5 /bin/oppi run standup --scheduled -q >/dev/null\n"
      #expect(machine.schedulers.crontab?.hasPrefix("# mine\n# BEGIN oppi schedule") == true)
      #expect(machine.schedulers.crontab?.contains("\n" + line) == true)
      #expect(
        machine.schedulers.commands.contains { $0 == "crontab -n crontab.new" },
        "\(machine.schedulers.commands)"
      )
      _ = await machine.oppi("schedule", "disable", "standup")
      #expect(machine.schedulers.crontab == "# mine\n")
      _ = await machine.oppi("schedule", "enable", "standup")
      #expect(machine.schedulers.crontab?.contains(line) == true)
      _ = await machine.oppi("schedule", "remove", "standup")
      #expect(machine.schedulers.crontab == "# mine\n")
    }
  }

  @Test(
    "an invalid schedule is rejected with the reason, before anything is written",
    arguments: [
      (["--every", "7m"], 64, "divides an hour or a day"),
      (["--cron", "61 * * * *"], 64, "valid minute"),
      (["--at", "2099-01-01 00:00"], 64, "requires a time zone"),
      (["--at", "1999-01-01T00:00Z"], 64, "is in the past"),
      (["--at", "2200-01-01T00:00Z"], 64, "the year 2199"),
      (["--at", "2099-01-01 00:00Z", "--tz", "UTC"], 64, "cannot be used with --tz"),
      (["--cron", "0 0 * * *", "--tz", "Nowhere/Land"], 64, "no time zone"),
      (["--cron", "0 0 * * *", "--tz", "x y"], 64, "no time zone"),
      (["--every", "1h", "--jitter", "1h"], 64, "--jitter must be shorter"),
      (["--every", "1h", "--backend", "cron", "--missed", "once"], 64, "requires systemd"),
      (["--every", "1h", "--backend", "cron", "--tz", "Europe/Berlin"], 64, "requires systemd"),
      (["--at", "2099-01-01 00:00Z", "--backend", "cron"], 64, "at(1)"),
      ([], 64, "give one of"), (["--every", "1h", "--at", "2099-01-01Z"], 64, "give one of"),
    ]
  )
  func impossible(words: [String], status: Int32, text: String) {
    inSchedule { machine in
      await machine.oppi(["schedule", "add", "standup"] + words, exits: status, saying: text)
      #expect(!machine.world.disk.paths.contains { $0.contains("schedules/standup.json") })
      #expect(machine.schedulers.crontab == nil)
    }
  }

  @Test("without the user manager cron is suggested, and without cron no schedule is added")
  func nobody() {
    inSchedule(hasManager: false) { machine in
      let words = ["schedule", "add", "standup", "--every", "1h"]
      let systemd = await machine.oppi(words + ["--backend", "systemd"])
      let text = "the systemd user manager is not running"
      #expect(systemd.status == 69 && systemd.errors.contains(text), "\(systemd)")
      #expect(systemd.errors.contains("use cron: --backend cron"), "\(systemd)")
      machine.world.programs.remove("crontab")
      let none = await machine.oppi(words, exits: 69, saying: "crontab is not installed")
      #expect(none.errors.contains("hint: install cron"), "\(none)")
      #expect(await machine.oppi("schedule").output.isEmpty)
    }
  }

  @Test("a shortcut that requires a value is not scheduled, and a shortcut has a single schedule")
  func needs() {
    inSchedule { machine in
      _ = await machine.oppi(["shortcuts", "add", "x", "-w", "demo", "{{a}}"])
      let needs = await machine.oppi("schedule", "add", "x", "--every", "1h")
      #expect(needs.status == 65 && needs.errors.contains("it requires a"), "\(needs)")
      await machine.oppi("shortcuts", "add", "pipe", "-w", "demo", "--input", "{{input}}", exits: 0)
      let text = "cannot schedule shortcut pipe: a scheduled shortcut cannot read input"
      await machine.oppi("schedule", "add", "pipe", "--every", "1h", exits: 65, saying: text)
      await machine.oppi("schedule", "add", "nix", "--every", "1h", exits: 66)
      _ = await machine.oppi("schedule", "add", "standup", "--every", "1h")
      let again = await machine.oppi("schedule", "add", "standup", "--every", "2h")
      #expect(again.status == 73 && again.errors.contains("--replace"), "\(again)")
      await machine.oppi("schedule", "add", "--replace", "standup", "--every", "2h", exits: 0)
      for verb in ["next", "run", "enable", "disable", "remove"] {
        await machine.oppi("schedule", verb, "nix", exits: 66, saying: "no shortcut 'nix'")
        await machine.oppi("schedule", verb, "x", exits: 66, saying: "shortcut x has no schedule")
      }
    }
  }

  @Test("a schedule with a prompt creates its shortcut; the prompt is in no unit")
  func prompt() {
    inSchedule { machine in
      let start = ["schedule", "add", "tests", "-w", "demo", "--every", "1h"]
      let words = start + ["--queue", "fix them"]
      let path = "\(World.home)/.config/oppi/shortcuts/tests.json"
      let plan = await machine.oppi(words + ["-n", "--json"])
      let planned = (plan.json["files"].array ?? []).compactMap(\.["path"].string)
      #expect(planned.first == path && planned.count == 3, "\(plan)")
      #expect(machine.text(at: path).isEmpty, "a dry run writes nothing")
      await machine.oppi(words, exits: 0, saying: "scheduled tests by systemd")
      let shortcut = machine.text(at: path)
      #expect(shortcut.contains("\"fix them\""), "\(shortcut)")
      #expect(shortcut.contains("\"queue\": true"), "\(shortcut)")
      let units = machine.world.disk.paths.filter { $0.contains("systemd/user") }
      #expect(units.count >= 2 && units.allSatisfy { !machine.text(at: $0).contains("fix them") })
      await machine.oppi("run", "tests", exits: 0)
      #expect(machine.server.heard == ["fix them"])
      await machine.oppi(words, exits: 73, saying: "shortcut tests already exists")
      await machine.oppi(start + ["--replace", "and those"], exits: 0)
      #expect(machine.text(at: path).contains("and those"))
    }
  }

  @Test("a schedule that cannot be added leaves no shortcut, or the earlier one")
  func promptFailure() {
    inSchedule { machine in
      let path = "\(World.home)/.config/oppi/shortcuts/tests.json"
      let words = ["schedule", "add", "tests", "-w", "demo", "--every", "1h"]
      machine.schedulers.failControl("restart")
      await machine.oppi(words + ["one\ntwo"], exits: 69, saying: "Job failed")
      #expect(!machine.world.disk.paths.contains { $0.contains("shortcuts/tests") })
      await machine.oppi("shortcuts", "add", "tests", "-w", "demo", "before", exits: 0)
      let before = machine.text(at: path)
      await machine.oppi(words + ["--replace", "after"], exits: 69)
      #expect(machine.text(at: path) == before)
      machine.schedulers.failControl()
      for wrong in [["-w", "nix", "x"], ["x {{a}}"], ["-w", "demo"], ["-F", "x", "x"], [" "]] {
        let start = ["schedule", "add", "other", "--every", "1h"]
        #expect(await machine.oppi(start + wrong).status != 0, "\(wrong)")
        #expect(!machine.world.disk.paths.contains { $0.contains("other") }, "\(wrong)")
      }
    }
  }

  @Test("the next runs are shown in the time zone of the schedule")
  func next() {
    inSchedule { machine in
      _ = await machine.oppi("schedule", "add", "standup", "--every", "24h")
      let next = await machine.oppi("schedule", "next", "--json")
      let coming = next.json["schedules"].array?.first
      #expect(coming?["zone"] == "UTC" && coming?["next"].array?.count == 2, "\(next)")
      #expect(coming?["next"].array?.first?["at"].string?.hasSuffix("T00:00:00Z") == true)
      await machine.oppi("schedule", "next", "--count", "0", exits: 64)
    }
  }

  @Test("--yes adds a schedule without a question")
  func asks() async throws {
    inSchedule { machine in
      let words = ["schedule", "add", "standup", "--every", "1h", "--yes"]
      await machine.oppi(words, exits: 0)
    }
  }
}
