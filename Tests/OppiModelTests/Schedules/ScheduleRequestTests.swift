// SPDX-License-Identifier: MIT

import OppiModel
import Testing

@Suite struct ScheduleRequestTests {
  private static func schedule(
    _ kind: ScheduleTrigger.Kind,
    _ text: String,
    every interval: Duration? = nil,
    zone: String? = nil,
    localZone: String? = "Europe/Berlin"
  ) throws -> Schedule {
    var request = ScheduleRequest(ScheduleTrigger(kind, text))
    request.zone = zone
    let name = try #require(ShortcutName("standup"))
    return try request.schedule(of: name, every: interval, localZone: localZone)
  }

  @Test("an interval keeps its spelling and has expressions for both schedulers")
  func interval() throws {
    let schedule = try Self.schedule(.every, "30m", every: .seconds(1800))
    #expect(schedule.trigger == ScheduleTrigger(.every, "30m") && schedule.zone == "Europe/Berlin")
    #expect(schedule.calendar == ["*-*-* *:00,30:00"] && schedule.cron == ["*/30 * * * *"])
  }

  @Test("a cron expression is stored on one line, and normalized if it is long")
  func cron() throws {
    #expect(try Self.schedule(.cron, "0  9\n* * mon-fri").trigger.text == "0 9 * * mon-fri")
    let long = (0..<100).map { _ in "5" }.joined(separator: ",")
    let schedule = try Self.schedule(.cron, "\(long) 9 * * *")
    #expect(schedule.trigger.text == schedule.cron[0] && schedule.cron[0].utf8.count < 200)
  }

  @Test(
    "a date uses the zone of its text or --tz, and has no cron expression",
    arguments: [
      ("2099-01-01 01:00+02:00", nil, "2098-12-31 23:00:00", "UTC"),
      ("2099-01-01 01:00 local", nil, "2099-01-01 01:00:00", "Europe/Berlin"),
      ("2099-01-01 01:00", "Asia/Tokyo", "2099-01-01 01:00:00", "Asia/Tokyo"),
    ]
  )
  func moment(text: String, zone: String?, clock: String, expected: String) throws {
    let schedule = try Self.schedule(.at, text, zone: zone)
    #expect(schedule.calendar == [clock] && schedule.zone == expected && schedule.cron.isEmpty)
  }

  @Test(
    "a date needs exactly one zone",
    arguments: [("2099-01-01 01:00", nil), ("2099-01-01 01:00Z", "UTC")]
  )
  func zones(text: String, zone: String?) {
    #expect(throws: ScheduleError.self) { try Self.schedule(.at, text, zone: zone) }
  }

  @Test("--tz is required if the local zone has no name")
  func nameless() throws {
    let fields = "0 9 * * *"
    #expect(throws: ScheduleError.self) { try Self.schedule(.cron, fields, localZone: nil) }
    #expect(try Self.schedule(.cron, fields, zone: "UTC", localZone: nil).zone == "UTC")
  }

  @Test("cron supports no one-time jobs, no missed runs and no zone but the machine's")
  func limits() throws {
    func limit(
      _ trigger: ScheduleTrigger = ScheduleTrigger(.cron, "0 9 * * *"),
      zone: String? = nil,
      missed: Schedule.Missed = .skip,
      machineZone: String? = "Europe/Berlin",
      localZone: String? = "Europe/Berlin"
    ) throws -> String? {
      var request = ScheduleRequest(trigger)
      (request.zone, request.missed) = (zone, missed)
      let name = try #require(ShortcutName("standup"))
      let schedule = try request.schedule(of: name, localZone: localZone)
      return request.cronLimit(of: schedule, machineZone: machineZone, localZone: localZone)
    }
    let once = "cron cannot run one-time jobs; use at(1) with 'oppi run standup', or systemd"
    let missed = "cron does not run missed jobs; --missed once requires systemd"
    let local =
      "cron uses this machine's time zone (Europe/Berlin) and ignores TZ; "
      + "use systemd, or unset TZ"
    #expect(try limit() == nil)
    #expect(try limit(ScheduleTrigger(.at, "2099-01-01 01:00Z")) == once)
    #expect(try limit(missed: .once) == missed)
    #expect(try limit(zone: "Europe/Berlin") == nil)
    #expect(
      try limit(zone: "Asia/Tokyo")
        == "cron uses this machine's time zone; --tz Asia/Tokyo requires systemd"
    )
    #expect(try limit(zone: "Asia/Tokyo", machineZone: nil, localZone: "Asia/Tokyo") == nil)
    #expect(try limit(localZone: "UTC") == local)
    #expect(
      try limit(zone: "Europe/Berlin", localZone: "UTC") == local,
      "cron does not read TZ, whatever --tz says"
    )
    #expect(try limit(zone: "UTC", machineZone: "Etc/UTC", localZone: "UTC") == nil)
  }
}

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
