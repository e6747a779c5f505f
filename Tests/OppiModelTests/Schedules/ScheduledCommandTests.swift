// SPDX-License-Identifier: MIT

import OppiModel
import Testing

@Suite struct ScheduledCommandTests {
  private static func schedule() throws -> Schedule {
    let name = try #require(ShortcutName("standup"))
    var request = ScheduleRequest(ScheduleTrigger(.cron, "30 2 * * *"))
    request.missed = .once
    request.jitter = .seconds(90)
    return try request.schedule(of: name, localZone: "Europe/Berlin")
  }

  @Test(
    "a relative path, or a path that a unit or a crontab cannot contain, is rejected",
    arguments: ["oppi", "", "/a\nb", "/a\u{7F}b", #"/a"b"#, "/a'b", #"/a\b"#]
  )
  func unusable(path: String) {
    #expect(ScheduledCommand(program: path, environment: [:]) == nil)
  }

  @Test("an XDG variable is passed on if it is an absolute path, and a line break is rejected")
  func variables() throws {
    let schedule = try Self.schedule()
    let environment = ["XDG_CONFIG_HOME": "/c d", "XDG_STATE_HOME": "relative", "HOME": "/h"]
    let command = try #require(ScheduledCommand(program: "/bin/oppi", environment: environment))
    let tail = "/bin/oppi run standup --scheduled -q >/dev/null"
    #expect(
      command.crontabLines(of: schedule)
        == ["30 2 * * * /usr/bin/env 'XDG_CONFIG_HOME=/c d' \(tail)"]
    )
    #expect(command.units(of: schedule)[0].text.contains("Environment=\"XDG_CONFIG_HOME=/c d\"\n"))
    let plain = try #require(ScheduledCommand(program: "/bin/oppi", environment: [:]))
    #expect(plain.crontabLines(of: schedule) == ["30 2 * * * \(tail)"])
    #expect(
      ScheduledCommand(program: "/bin/oppi", environment: ["XDG_CACHE_HOME": "/a\nb"]) == nil
    )
  }

  @Test("the units are a service and a timer with the schedule's zone, catch-up and jitter")
  func units() throws {
    let schedule = try Self.schedule()
    let command = try #require(ScheduledCommand(program: "/b%/oppi", environment: [:]))
    let units = command.units(of: schedule)
    let names = ["oppi-schedule-standup.service", "oppi-schedule-standup.timer"]
    #expect(units.map { $0.kind.name(of: "standup") } == names)
    #expect(units[0].text.contains("ExecStart=:/b%%/oppi run standup --scheduled\n"))
    for line in [
      "OnCalendar=*-*-* 02:30:00 Europe/Berlin", "Persistent=true", "RandomizedDelaySec=90000ms",
    ] {
      #expect(units[1].text.contains("\n\(line)\n"), "\(line): \(units[1].text)")
    }
  }
}
