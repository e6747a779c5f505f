// SPDX-License-Identifier: MIT

import OppiModel
import OppiRendering

extension DoctorSubject {
  func findings(_ observation: HealthFact.Observation) -> [Finding] {
    findings(observation.fact).map { finding in
      var finding = finding
      finding.check = observation.check
      return finding
    }
  }

  private func findings(_ fact: HealthFact) -> [Finding] {
    let finding: Finding?
    switch fact {
    case .shortcuts(let count, let defects): return Finding.shortcuts(count, defects)
    case .failed, .unanswered, .program, .notOnPath, .filesInOrder: finding = ofProgram(fact)
    case .answers, .exposed, .clockOffset, .crowdedWorkspace, .crowdedServer, .noGate, .device,
      .unknownDevice, .emptyOutbox, .waitingPrompts, .endedPrompts, .schedules, .unwatched,
      .unmanaged, .lastRun, .noCronDaemon:
      finding = ofWork(fact)
    case .watch, .systemd, .notifications, .noNotifications, .terminal, .noTerminal, .mail,
      .noMail, .completions, .noCompletions, .outdatedCompletions, .unreadableCompletions:
      finding = ofMachine(fact)
    case .crontab, .noCrontabProgram, .silentCrontabProgram, .unreadableShortcuts, .silentManager,
      .variable, .notStarted, .unended:
      finding = ofTrigger(fact)
    }
    return finding.map { [$0] } ?? []
  }

  private func ofProgram(_ fact: HealthFact) -> Finding? {
    switch fact {
    case .failed(let error): .fault(error)
    case .unanswered(let limit): .warning("no answer within \(ElapsedTime.text(limit))")
    case .program(let path): .ok("\(path), version \(OppiProgram.version)")
    case .notOnPath(let path):
      .note(
        "'\(programName)' is not in PATH \(trigger?.place ?? "here")",
        hints: ["use its path: \(path)"]
      )
    case .filesInOrder(let config, let state): .ok("no problems in \(config) and \(state)")
    default: nil
    }
  }

  private func ofWork(_ fact: HealthFact) -> Finding? {
    switch fact {
    case .answers(let server, let elapsed): .answers(server, after: elapsed)
    case .exposed(let server): .exposed(server)
    case .clockOffset(let offset, let server): .clockOffset(offset, server)
    case .crowdedWorkspace(let name, let count): .crowdedWorkspace(name, count)
    case .crowdedServer(let server, let count): .crowdedServer(server, count)
    case .noGate(let server): .noGate(server)
    case .device(let name, let server): .device(name, server)
    case .unknownDevice(let server): .unknownDevice(server)
    case .emptyOutbox: .ok("no queued prompts")
    case .waitingPrompts(let count, let deliverer): .waitingPrompts(count, deliverer)
    case .endedPrompts(let count, let state): .endedPrompts(count, state)
    case .schedules(let count): .ok(count.counted("schedule"))
    case .unwatched(let schedule):
      .fault(
        .badConfiguration,
        "schedule \(schedule.name) does not run: "
          + (schedule.backend == .cron ? "it is not in the crontab" : "its timer is not enabled"),
        hints: ["enable it with: oppi schedule enable \(schedule.name)"]
      )
    case .unmanaged(let schedule): .unmanaged(schedule)
    case .lastRun(let run, let schedule): .lastRun(run, of: schedule)
    case .noCronDaemon: .noCronDaemon
    default: nil
    }
  }

  private func ofMachine(_ fact: HealthFact) -> Finding? {
    switch fact {
    case .watch(let state): .watch(state)
    case .systemd(let state): .systemd(state)
    case .notifications(let hasButtons):
      .ok("notifications can be shown, \(hasButtons ? "with" : "without") buttons")
    case .noNotifications(let error): .noNotifications(because: error, for: trigger)
    case .terminal(let command):
      .ok("sessions open in \(command.joined(separator: " ").safeLine(limit: 80))")
    case .noTerminal: .noTerminal
    case .mail(let program): .ok("cron sends mail with \(program)")
    case .noMail(let program): .noMail(program)
    case .completions(let shell, let path): .ok("\(shell) uses \(path)")
    case .noCompletions(let shell):
      .note("no completions found for \(shell)", hints: ["install them: oppi setup"])
    case .outdatedCompletions(let path):
      .note("\(path) is from another version", hints: ["update it: oppi setup"])
    case .unreadableCompletions(let error): .warning(OppiError(error).message)
    default: nil
    }
  }

  private func ofTrigger(_ fact: HealthFact) -> Finding? {
    switch fact {
    case .crontab(let defect): .crontab(defect, program: intents.programPath())
    case .noCrontabProgram:
      .note("no crontab program found", hints: ["use systemd timers"])
    case .silentCrontabProgram: .warning("crontab -l timed out")
    case .unreadableShortcuts(let error): .warning(OppiError(error).message)
    case .silentManager:
      .fault(
        .badConfiguration,
        "the systemd user manager, which runs the unit, is not running",
        hints: ["log in, or enable it permanently: loginctl enable-linger"]
      )
    case .variable(let difference): .variable(difference, for: trigger)
    case .notStarted(let path, let cause):
      .fault(
        .badConfiguration,
        "cannot start \(path) in this environment: \(cause)",
        hints: ["install it in another folder, for example ~/.local/bin"]
      )
    case .unended(let limit):
      .fault(
        .timedOut,
        "the checks in this environment timed out after \(ElapsedTime.text(limit))"
      )
    default: nil
    }
  }
}

extension HealthCheck {
  /// The description for help.
  var summary: String {
    switch self {
    case .program: "this program, and whether it is in PATH"
    case .files: "settings and state: valid, and not writable by others"
    case .servers: "paired servers: connection, certificate, access, clock, room"
    case .shortcuts: "shortcuts: valid, with existing workspaces"
    case .schedules: "schedules: valid, enabled, and results of their last runs"
    case .outbox: "queued prompts, and whether they are delivered"
    case .watch: "whether 'oppi watch' is running"
    case .systemd: "the systemd user manager, and whether it runs while logged out"
    case .notifications: "the session bus and the notification daemon"
    case .terminal: "the terminal in which 'oppi new' opens a session"
    case .mail: "with --as cron: the mail program for the output of jobs"
    case .completions: "shell completions"
    }
  }
}
