// SPDX-License-Identifier: MIT

import OppiModel
import OppiRendering
import OppiSystem

/// The texts of facts about the desktop and the machine.
extension Finding {
  static func watch(_ state: HealthFact.WatchState) -> Finding {
    switch state {
    case .running: return .ok("oppi watch is running")
    case .starting: return .ok("oppi watch is starting")
    case .stuck(let moment, let now):
      let age = RelativeTime.age(seconds: moment.age(at: now))
      let time = moment > now ? "since the clock was set back" : "for \(age)"
      return .warning(
        "oppi watch is running, but has not written its snapshot \(time)",
        hints: ["restart it; as a unit: systemctl --user restart oppi-watch"]
      )
    case .absent:
      return .note(
        "oppi watch is not running: bars query servers directly; approval notifications are off",
        hints: [
          "enable its unit, which oppi setup or a package installs: "
            + "systemctl --user enable --now oppi-watch; or run: oppi watch"
        ]
      )
    }
  }

  static func systemd(_ state: HealthFact.Systemd) -> Finding {
    switch state {
    case .notRunning:
      .note("systemd is not running", hints: ["use cron for schedules"])
    case .noManager:
      .warning(
        "no systemd user manager found via XDG_RUNTIME_DIR",
        hints: ["log in, or enable it permanently: loginctl enable-linger"]
      )
    case .lingers: .ok("the user manager keeps running while you are logged out")
    case .endsWithLogin:
      .note(
        "the user manager, its timers and watch stop when you log out",
        hints: ["enable it permanently: loginctl enable-linger"]
      )
    }
  }

  static func noNotifications(because error: any Error, for trigger: Trigger?) -> Finding {
    let daemon = "start a notification daemon, for example dunst or mako"
    let hints =
      ((error as? DesktopError) == .noDaemon ? [daemon] : [])
      + ["forward notifications with: oppi config set notify.command '...'"]
    return switch trigger {
    case .hotkey, .udev:
      .warning("\(error); results of prompts cannot be shown", hints: hints)
    case .cron: .note("\(error); cron mails what a job prints")
    case nil: .warning("\(error)", hints: hints)
    }
  }

  static let noTerminal = Finding.warning(
    "no terminal found to open a session in",
    hints: ["set TERMINAL, or install xdg-terminal-exec"]
  )

  static func noMail(_ program: String) -> Finding {
    .warning(
      "\(program) is missing; cron discards the output of jobs",
      hints: [
        "install a mail program, or redirect the output to a file: ... >>~/oppi.log 2>&1",
        "list prompts and their outcomes with: oppi history",
      ]
    )
  }

  static func crontab(_ defect: CrontabDefect, program: String) -> Finding {
    switch defect {
    case .percent(let line): .fault(OppiError.percent(inCrontabLine: line))
    case .missingProgram(let line, let name):
      .fault(OppiError.missingProgram(name, inCrontabLine: line, insteadOf: program))
    case .missingShortcut(let line, let name):
      .fault(OppiError.missingShortcut(name, inCrontabLine: line))
    case .visiblePrompt(let line):
      .note(
        "line \(line) of the crontab contains the prompt, which ps and syslog show",
        hints: ["put it in a shortcut, and run: \(program) run NAME"]
      )
    }
  }

  static func variable(_ difference: VariableDifference, for trigger: Trigger?) -> Finding {
    let place = trigger?.place ?? "there"
    return switch difference {
    case .missingThere(let name):
      .warning("\(name) is set here, but not \(place)", hints: remedy(for: name, trigger))
    case .missingHere(let name): .note("\(name) is set \(place), but not here")
    case .changed(let name):
      .warning("\(name) has a different value \(place)", hints: remedy(for: name, trigger))
    }
  }

  private static func remedy(for variable: String, _ trigger: Trigger?) -> [String] {
    trigger.map { [$0.remedy(for: variable)] } ?? []
  }
}
