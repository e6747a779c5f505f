// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiRendering
import OppiSystem

extension OppiError {
  static func percent(inCrontabLine line: Int) -> OppiError {
    OppiError(
      .badConfiguration,
      "line \(line) of the crontab contains '%', which ends the command",
      hints: ["write \\%, or put the prompt in a shortcut: oppi shortcuts add"]
    )
  }

  /// A job whose program does not exist; `path` is the path of this program.
  static func missingProgram(
    _ name: String,
    inCrontabLine line: Int,
    insteadOf path: String
  ) -> OppiError {
    let name = name.safeLine(limit: 80)
    return OppiError(
      .badConfiguration,
      "line \(line) of the crontab runs '\(name)', which does not exist",
      hints: ["use the path \(path)"]
    )
  }

  static func missingShortcut(_ name: String, inCrontabLine line: Int) -> OppiError {
    let name = name.safeLine(limit: 80)
    return OppiError(
      .noSuchShortcut,
      "line \(line) of the crontab runs the shortcut '\(name)', which does not exist",
      hints: ["list the shortcuts with: oppi shortcuts"]
    )
  }

  static func unwatched(_ schedule: Schedule) -> OppiError {
    let name = schedule.name
    let place =
      schedule.backend == .cron ? "it is not in the crontab" : "its timer is not enabled"
    return OppiError(
      .badConfiguration,
      "schedule \(name) does not run: \(place)",
      hints: ["enable it with: oppi schedule enable \(name)"]
    )
  }

  static let silentManager = OppiError(
    .badConfiguration,
    "the systemd user manager, which runs the unit, is not running",
    hints: ["log in, or enable it permanently: loginctl enable-linger"]
  )

  static func notStarted(_ path: String, _ cause: SystemError) -> OppiError {
    OppiError(
      .badConfiguration,
      "cannot start \(path) in this environment: \(cause)",
      hints: ["install it in another folder, for example ~/.local/bin"]
    )
  }

  static func unendedChecks(after limit: Duration) -> OppiError {
    OppiError(
      .timedOut,
      "the checks in this environment timed out after \(ElapsedTime.text(limit))"
    )
  }

  /// The checks in the environment of a trigger ended without a report.
  static func brokenChecks(_ outcome: ChildProcess.Outcome) -> OppiError {
    let words = String(decoding: outcome.errors, as: UTF8.self).safeLine(limit: 200)
    return OppiError(.bug, "the checks failed with status \(outcome.status): \(words)")
  }

  /// The faults that `oppi doctor` found.
  ///
  /// `code` is the code of the first one. `place` is the environment with a leading space; empty
  /// for the current one.
  static func faults(_ count: Int, _ code: Code?, _ place: String) -> OppiError {
    OppiError(
      code ?? .badConfiguration,
      "\(count.counted("fault")) found\(place)"
    )
  }
}
