// SPDX-License-Identifier: MIT

import OppiIntents
import OppiModel
import OppiRendering
import OppiSystem

/// The words of facts about the desktop and the machine.
extension Finding {
  static func watch(_ state: HealthFact.WatchState) -> Finding {
    switch state {
    case .running: return .ok("oppi watch runs")
    case .starting: return .ok("oppi watch is starting")
    case .stuck(let moment, let now):
      let age = RelativeTime.age(seconds: moment.age(at: now))
      let time = moment > now ? "since the clock was set back" : "for \(age)"
      return .warning(
        "oppi watch runs, but has written no snapshot \(time)",
        hints: ["end it and start it again; as a unit: systemctl --user restart oppi-watch"]
      )
    case .absent:
      return .note(
        "oppi watch does not run: bars query servers directly; approval notifications are off",
        hints: ["oppi setup installs it as a unit; or run: oppi watch"]
      )
    }
  }

  static func systemd(_ state: HealthFact.Systemd) -> Finding {
    switch state {
    case .notRunning:
      .note("systemd is not running", hints: ["use cron for schedules"])
    case .noManager:
      .warning(
        "no systemd user manager is known here: XDG_RUNTIME_DIR leads to none",
        hints: ["log in with a session, or have it run always: loginctl enable-linger"]
      )
    case .lingers: .ok("the user manager runs, also when you are logged out")
    case .endsWithLogin:
      .note(
        "the user manager ends with your last login, and timers and watch with it",
        hints: ["have it run always: loginctl enable-linger"]
      )
    }
  }

  static func noNotifications(because error: any Error, for trigger: Trigger?) -> Finding {
    let daemon = "start a notification daemon such as dunst or mako"
    let hints =
      ((error as? DesktopError) == .noDaemon ? [daemon] : [])
      + ["a program of yours can tell you as well: oppi config set notify.command '...'"]
    return switch trigger {
    case .hotkey, .udev:
      .warning("\(error), so nobody would see what became of a prompt", hints: hints)
    case .cron: .note("\(error); cron mails what a job prints")
    case nil: .warning("\(error)", hints: hints)
    }
  }

  static let noTerminal = Finding.warning(
    "no terminal to open a session in",
    hints: ["set TERMINAL, or install xdg-terminal-exec"]
  )

  static func noMail(_ program: String) -> Finding {
    .warning(
      "there is no \(program), so cron drops what a job prints",
      hints: [
        "install a mail program, or let the job write to a file: ... >>~/oppi.log 2>&1",
        "see what was asked, and how it ended, with: oppi history",
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
        "line \(line) of the crontab has its prompt in the crontab, where ps and syslog show it",
        hints: ["put it into a shortcut, and let the job say: \(program) run NAME"]
      )
    }
  }

  static func variable(_ difference: VariableDifference, for trigger: Trigger?) -> Finding {
    switch difference {
    case .missingThere(let name):
      .warning("\(name) is set here and not there", hints: remedy(for: name, trigger))
    case .missingHere(let name): .note("\(name) is set there and not here")
    case .changed(let name):
      .warning("\(name) has another value there", hints: remedy(for: name, trigger))
    }
  }

  private static func remedy(for variable: String, _ trigger: Trigger?) -> [String] {
    trigger.map { [$0.remedy(for: variable)] } ?? []
  }
}
