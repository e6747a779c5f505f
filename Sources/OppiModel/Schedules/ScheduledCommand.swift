// SPDX-License-Identifier: MIT

import OppiText

/// The command by which a scheduler starts this program.
package struct ScheduledCommand: Sendable {
  /// The variables that locate the user's files outside the default folders.
  private static let folders = ["XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"]
  private static let mark = "# Written by 'oppi schedule'; do not edit."

  /// The absolute path of the program, without line breaks.
  private let program: String
  /// The variables to set.
  private let variables: [(name: String, value: String)]

  /// Fails if a unit or a crontab cannot run the program.
  package init?(program: String, environment: [String: String]) {
    variables = Self.folders.compactMap { name in
      environment[name].flatMap { $0.hasPrefix("/") ? (name, $0) : nil }
    }
    self.program = program
    let isOneLine = ([program] + variables.map(\.value)).allSatisfy { text in
      !text.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F }
    }
    guard program.hasPrefix("/"), isOneLine, UnitProgram.canRun(program) else { return nil }
  }

  package func crontabLines(of schedule: Schedule) -> [String] {
    let settings = variables.map { "\($0.name)=\($0.value)" }
    let words =
      (settings.isEmpty ? [] : ["/usr/bin/env"] + settings)
      + [program, "run", schedule.name, "--scheduled", "-q"]
    // Cron mails the output: only errors are printed.
    return schedule.cron.map { "\($0) \(Crontab.command(words)) >/dev/null" }
  }

  // MARK: - Units of systemd's user manager

  /// The texts of a schedule's service and timer.
  package func units(of schedule: Schedule) -> [(kind: ScheduleUnit, text: String)] {
    [(.service, service(of: schedule)), (.timer, timer(of: schedule))]
  }

  private func service(of schedule: Schedule) -> String {
    let variables = variables.map { name, value in
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
      \(variables)ExecStart=:\(UnitProgram.word(program)) run \(schedule.name) --scheduled
      WorkingDirectory=%h
      # A safety limit; the run has its own timeout.
      TimeoutStartSec=\(schedule.overlap == .queue ? "3d" : "1d")
      # Temporary failure; the next run retries.
      SuccessExitStatus=75

      """
  }

  private func timer(of schedule: Schedule) -> String {
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

/// A systemd user unit of a schedule.
package enum ScheduleUnit: String, Sendable {
  case service
  case timer

  /// The unit's name; all characters of a shortcut's name are valid in it.
  package func name(of schedule: String) -> String { "oppi-schedule-\(schedule).\(rawValue)" }
}
