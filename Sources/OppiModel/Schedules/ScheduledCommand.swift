// SPDX-License-Identifier: MIT

/// How a scheduler calls this program.
package struct ScheduledCommand: Sendable {
  /// The variables that lead to the user's files if they are not in the usual places.
  private static let folders = ["XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"]

  /// The absolute path of the program, of one line.
  let program: String
  /// The variables that the program needs: names with values.
  let variables: [(name: String, value: String)]

  /// Takes the program's path and the environment; `nil` if no unit and no crontab can call it.
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

  /// Returns the lines of a crontab that run a schedule.
  package func crontabLines(of schedule: Schedule) -> [String] {
    let settings = variables.map { "\($0.name)=\($0.value)" }
    let words =
      (settings.isEmpty ? [] : ["/usr/bin/env"] + settings)
      + [program, "run", schedule.name, "--scheduled", "-q"]
    // Cron mails what is printed: an error, and nothing else.
    return schedule.cron.map { "\($0) \(Crontab.command(words)) >/dev/null" }
  }
}
