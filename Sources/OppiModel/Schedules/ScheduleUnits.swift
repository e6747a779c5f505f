// SPDX-License-Identifier: MIT

/// The systemd user units that run a schedule.
package struct ScheduleUnits: Sendable {
  private static let mark = "# Written by 'oppi schedule'; do not edit."

  package let schedule: Schedule
  private let command: ScheduledCommand

  package init(of schedule: Schedule, running command: ScheduledCommand) {
    (self.schedule, self.command) = (schedule, command)
  }

  /// Returns the name of a unit; all characters of a shortcut's name are valid in a unit's name.
  ///
  /// `suffix` is `service` or `timer`.
  package static func name(of schedule: String, _ suffix: String) -> String {
    "oppi-schedule-\(schedule).\(suffix)"
  }

  package struct File: Sendable {
    /// `service` or `timer`.
    package let what: String
    package let name: String
    package let text: String
  }

  /// The service, then the timer.
  package var files: [File] {
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
      \(variables)ExecStart=:\(UnitProgram.word(command.program)) run \(schedule.name) --scheduled
      WorkingDirectory=%h
      # A safety limit; the run has its own timeout.
      TimeoutStartSec=\(schedule.overlap == .queue ? "3d" : "1d")
      # Temporary failure; the next run retries.
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
