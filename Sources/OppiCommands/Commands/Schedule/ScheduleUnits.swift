// SPDX-License-Identifier: MIT

import OppiIntents
import OppiModel

/// The units by which systemd's user manager runs a schedule.
struct ScheduleUnits {
  private static let mark = "# Written by 'oppi schedule', which changes and removes it."

  let schedule: Schedule
  let command: ScheduledCommand

  /// The name of a unit; all characters of a shortcut's name are fit for it.
  static func name(of schedule: String, _ suffix: String) -> String {
    "oppi-schedule-\(schedule).\(suffix)"
  }

  /// A unit's file.
  struct File {
    let what: String
    let name: String
    let text: String
  }

  var files: [File] {
    [("service", service), ("timer", timer)].map { what, text in
      File(what: what, name: Self.name(of: schedule.name, what), text: text)
    }
  }

  private var service: String {
    let variables = command.variables.map { name, value in
      let escaped = value.replacing(#"\"#, with: #"\\"#).replacing("\"", with: #"\""#)
      return "Environment=\"\(name)=\(escaped.replacing("%", with: "%%"))\"\n"
    }.joined()
    return """
      \(Self.mark)
      [Unit]
      Description=oppi: \(schedule.name)
      Documentation=man:oppi(1)

      [Service]
      Type=oneshot
      \(variables)ExecStart=:\(ServiceUnit.word(command.program)) run \(schedule.name) --scheduled
      WorkingDirectory=%h
      # Each run has its own limits; this is for one that hangs.
      TimeoutStartSec=\(schedule.overlap == .queue ? "3d" : "1d")
      # Try again later, which the next run does; the record has it, too.
      SuccessExitStatus=75

      """
  }

  private var timer: String {
    let lines = schedule.calendar.map { "OnCalendar=\($0) \(schedule.zone)\n" }.joined()
    let delay = schedule.jitter.milliseconds
    return """
      \(Self.mark)
      [Unit]
      Description=oppi: \(schedule.name)
      Documentation=man:oppi(1)

      [Timer]
      \(lines)Persistent=\(schedule.missed == .once)
      RandomizedDelaySec=\(delay)ms
      AccuracySec=1s

      [Install]
      WantedBy=timers.target

      """
  }
}

/// How whoever watches the clock calls this program.
struct ScheduledCommand: Sendable, Equatable {
  /// Its absolute path, of one line.
  let program: String
  /// What leads to the user's files where they are not in the usual places: names with values.
  let variables: [(name: String, value: String)]

  /// - Throws: `OppiError` where no unit and no crontab can call it.
  init(in context: Context) throws(OppiError) {
    program = context.programPath()
    variables = ["XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"].compactMap { name in
      context.nonEmpty(name).flatMap { $0.hasPrefix("/") ? (name, $0) : nil }
    }
    let isOneLine = ([program] + variables.map(\.value)).allSatisfy { text in
      !text.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F }
    }
    guard program.hasPrefix("/"), isOneLine, ServiceUnit.canRun(program) else {
      throw OppiError(
        .badInput,
        "no timer can run a program at \(program.safeLine())",
        hints: ["install oppi in a folder with a plain name"]
      )
    }
  }

  static func == (left: Self, right: Self) -> Bool {
    left.program == right.program && left.variables.elementsEqual(right.variables, by: ==)
  }

  /// The lines of a crontab that run a schedule.
  func crontabLines(of schedule: Schedule) -> [String] {
    let settings = variables.map { "\($0.name)=\($0.value)" }
    let words =
      (settings.isEmpty ? [] : ["/usr/bin/env"] + settings)
      + [program, "run", schedule.name, "--scheduled", "-q"]
    // Cron mails what is printed: an error, and nothing else.
    return schedule.cron.map { "\($0) \(Crontab.command(words)) >/dev/null" }
  }
}
