// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiSystem

extension OppiError {
  static func percent(inCrontabLine line: Int) -> OppiError {
    OppiError(
      .badConfiguration,
      "line \(line) of the crontab has a '%', which ends the command for cron",
      hints: ["write \\% for it, or put the prompt into a shortcut: oppi shortcuts add"]
    )
  }

  /// A job whose path does not lead to the program that it names; `path` is where this program is.
  static func missingProgram(
    _ name: String,
    inCrontabLine line: Int,
    insteadOf path: String
  ) -> OppiError {
    let name = name.safeLine(limit: 80)
    return OppiError(
      .badConfiguration,
      "line \(line) of the crontab runs '\(name)', which is not to be found there",
      hints: ["write \(path)"]
    )
  }

  static func missingShortcut(_ name: String, inCrontabLine line: Int) -> OppiError {
    let name = name.safeLine(limit: 80)
    return OppiError(
      .noSuchShortcut,
      "line \(line) of the crontab runs the shortcut '\(name)', which is not there",
      hints: ["see what there is with: oppi shortcuts"]
    )
  }

  /// A schedule that its backend does not have.
  static func unwatched(_ schedule: Schedule) -> OppiError {
    let name = schedule.name
    let place =
      schedule.backend == .cron ? "the crontab has no line" : "no timer is enabled"
    return OppiError(
      .badConfiguration,
      "\(place) for \(name), so it does not run",
      hints: ["put it there: oppi schedule enable \(name)"]
    )
  }

  static let silentManager = OppiError(
    .badConfiguration,
    "no systemd user manager answers, which would have to start the unit",
    hints: ["log in with a session, or have it run always: loginctl enable-linger"]
  )

  /// This program cannot be started in the environment of a trigger.
  static func notStarted(_ path: String, _ cause: SystemError) -> OppiError {
    OppiError(
      .badConfiguration,
      "\(path) cannot be started there: \(cause)",
      hints: ["install it where every program can be started, such as in ~/.local/bin"]
    )
  }

  static func unendedChecks(after limit: Duration) -> OppiError {
    OppiError(.timedOut, "the checks there did not end within \(limit)")
  }

  /// The checks in the environment of a trigger ended without a report.
  static func brokenChecks(_ outcome: ChildProcess.Outcome) -> OppiError {
    let words = String(decoding: outcome.errors, as: UTF8.self).safeLine(limit: 200)
    return OppiError(.bug, "the checks broke off with status \(outcome.status): \(words)")
  }

  /// Things that `oppi doctor` found not to work.
  ///
  /// - Parameters:
  ///   - count: How many.
  ///   - code: The code of the first.
  ///   - place: Where it looked, with a space before; empty for here.
  /// - Returns: The error.
  static func faults(_ count: Int, _ code: Code?, _ place: String) -> OppiError {
    OppiError(
      code ?? .badConfiguration,
      "\(count == 1 ? "1 thing does" : "\(count) things do") not work\(place)"
    )
  }
}
