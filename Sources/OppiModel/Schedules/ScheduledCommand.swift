// SPDX-License-Identifier: MIT

/// The command by which a scheduler starts this program.
package struct ScheduledCommand: Sendable {
  /// The variables that locate the user's files outside the default folders.
  private static let folders = ["XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"]

  /// The absolute path of the program, without line breaks.
  let program: String
  /// The variables to set.
  let variables: [(name: String, value: String)]

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
}
