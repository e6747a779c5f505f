// SPDX-License-Identifier: MIT

import OppiModel
import OppiRendering
import OppiSystem

struct Finding: Sendable, Equatable {
  /// From best to worst.
  enum Gravity: String, Sendable, CaseIterable, Comparable {
    /// Everything is in order.
    case ok
    /// Not a problem, but possibly of interest.
    case note
    /// Works, but not in every case.
    case warning
    case fault

    static func < (left: Self, right: Self) -> Bool {
      (allCases.firstIndex(of: left) ?? 0) < (allCases.firstIndex(of: right) ?? 0)
    }
  }

  var gravity: Gravity
  var check = ""
  /// One line, safe to show.
  var message: String
  /// Suggested fixes, one sentence each.
  var hints: [String] = []
  /// The error code of a fault, which sets the exit status.
  var code: OppiError.Code?

  static func ok(_ message: String) -> Finding { Finding(gravity: .ok, message: message) }

  static func note(_ message: String, hints: [String] = []) -> Finding {
    Finding(gravity: .note, message: message, hints: hints)
  }

  static func warning(_ message: String, hints: [String] = []) -> Finding {
    Finding(gravity: .warning, message: message, hints: hints)
  }

  static func fault(_ error: OppiError) -> Finding {
    Finding(gravity: .fault, message: error.message, hints: error.hints, code: error.code)
  }

  static func fault(_ error: any Error) -> Finding { fault(OppiError(error)) }

  static func fault(_ code: OppiError.Code, _ message: String, hints: [String] = []) -> Finding {
    fault(OppiError(code, message, hints: hints))
  }
}

extension Finding {
  static let record = RecordShape(
    Finding(gravity: .ok, message: ""),
    [
      .required("check", \.check, .text).means("The check"),
      .required("state", \.gravity, .word)
        .means(Gravity.allCases.map(\.rawValue).joined(separator: ", ")),
      .required("message", \.message, .text).means("The finding"),
      .defaulted("hints", \.hints, .list(of: .text)).means("Suggested fixes"),
      .optional("code", \.code, .word).means("The error code of a fault"),
    ]
  )

  static let shape = JSONShape(record)

  /// Parses a finding of another run of this program; `nil` for anything else.
  init?(json: JSONValue) {
    guard let finding = Self.record.record(from: json) else { return nil }
    self = finding
  }
}

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
    case .percent(let line):
      .fault(
        .badConfiguration,
        "line \(line) of the crontab contains '%', which ends the command",
        hints: ["write \\%, or put the prompt in a shortcut: oppi shortcuts add"]
      )
    case .missingProgram(let line, let name):
      .fault(
        .badConfiguration,
        "line \(line) of the crontab runs '\(name.safeLine(limit: 80))', which does not exist",
        hints: ["use the path \(program)"]
      )
    case .missingShortcut(let line, let name):
      .fault(
        .noSuchShortcut,
        "line \(line) of the crontab runs the shortcut '\(name.safeLine(limit: 80))', "
          + "which does not exist",
        hints: ["list the shortcuts with: oppi shortcuts"]
      )
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

/// The texts of facts about servers, shortcuts, schedules and the outbox.
extension Finding {
  static func answers(_ server: PairedServer, after elapsed: Duration) -> Finding {
    let trust = server.certificatePin == nil ? "" : ", matches the pinned certificate"
    return .ok("\(server.name) answers in \(elapsed.milliseconds) ms\(trust) and accepts the token")
  }

  static func exposed(_ server: PairedServer) -> Finding {
    .note(
      "the connection to \(server.name) has no TLS; the token can be read in transit",
      hints: ["use a private network such as a VPN, or pair again with https"]
    )
  }

  static func clockOffset(_ offset: Duration, _ server: PairedServer) -> Finding {
    let way = offset > .zero ? "behind" : "ahead of"
    let words = ElapsedTime.text(offset > .zero ? offset : .zero - offset)
    return .warning(
      "this machine's clock is \(words) \(way) that of \(server.name)",
      hints: ["synchronize the clocks: timedatectl set-ntp true"]
    )
  }

  static func crowdedWorkspace(_ name: String, _ count: Int) -> Finding {
    .warning(
      "\(name) has \(count) of \(LoadLimits.ofWorkspace) sessions loaded (default limit)",
      hints: ["end idle sessions: oppi stop --idle -w '\(name)'"]
    )
  }

  static func crowdedServer(_ server: PairedServer, _ count: Int) -> Finding {
    .warning(
      "\(server.name) has \(count) of \(LoadLimits.ofServer) sessions loaded (default limit)",
      hints: ["end idle sessions: oppi stop --idle --server '\(server.name)'"]
    )
  }

  static func noGate(_ server: PairedServer) -> Finding {
    .note("\(server.name) runs tools without approval, unless an extension asks")
  }

  static func device(_ name: String, _ server: PairedServer) -> Finding {
    .ok("\(server.name) lists this machine as '\(name)'")
  }

  static func unknownDevice(_ server: PairedServer) -> Finding {
    .warning(
      "\(server.name) does not list this machine's key",
      hints: ["pair again with a new invite: oppi pair -"]
    )
  }

  // MARK: - Shortcuts

  static func shortcuts(
    _ count: Int,
    _ defects: [(name: ShortcutName, error: any Error)]
  ) -> [Finding] {
    var findings: [Finding] = []
    var unknown = 0
    for (name, error) in defects {
      var finding = Finding.fault(error)
      // An unreachable server is reported once, by its own check.
      if let code = finding.code, silences.contains(code) {
        unknown += 1
      } else {
        finding.message = "\(name.text): \(finding.message)"
        findings.append(finding)
      }
    }
    let words = count.counted("shortcut")
    if unknown > 0 {
      findings.append(.note("\(words); could not check \(unknown) against a server"))
    } else if count > 0, findings.isEmpty {
      findings.append(.ok(words))
    }
    return findings
  }

  /// Codes that leave a server's workspaces unknown.
  private static let silences: Set<OppiError.Code> = [
    .serverUnreachable, .serverError, .timedOut, .tooManyRequests, .notPaired, .noToken,
    .unauthorized, .pinMismatch, .certificateRejected, .tlsUnavailable,
  ]

  // MARK: - The outbox

  static func waitingPrompts(_ count: Int, _ deliverer: PromptDeliverer) -> Finding {
    let words = count.counted("queued prompt")
    switch deliverer {
    case .unknown: return .ok(words)
    case .watch: return .ok("\(words), delivered by oppi watch")
    case .unit(let name): return .ok("\(words), delivered by \(name)")
    case .crontab: return .ok("\(words), delivered by your crontab")
    case .nothing:
      return .warning("\(words), not delivered automatically", hints: PromptDeliverer.remedies)
    }
  }

  static func endedPrompts(_ count: Int, _ state: String) -> Finding {
    let meaning = state == "unknown" ? "may have run" : "did not run"
    return .warning(
      "\(count.counted("prompt")) \(meaning); not reviewed yet",
      hints: ["list them with: oppi outbox list --all"]
    )
  }

  // MARK: - Schedules

  static func unmanaged(_ schedule: Schedule) -> Finding {
    .warning(
      "schedule \(schedule.name) requires the systemd user manager, which is not running",
      hints: ["enable it permanently: loginctl enable-linger"]
    )
  }

  static func lastRun(_ run: ScheduleRun, of schedule: Schedule) -> Finding {
    let words = "the last run of \(schedule.name) was \(run.state)"
    let hints = ["list its runs with: oppi schedule list"]
    guard run.isRun else { return .note(words, hints: hints) }
    return .warning(words + (run.error.map { ": \($0)" } ?? ""), hints: hints)
  }

  static let noCronDaemon = Finding.warning(
    Schedules.unread,
    hints: ["start it: sudo systemctl enable --now cron"]
  )
}
