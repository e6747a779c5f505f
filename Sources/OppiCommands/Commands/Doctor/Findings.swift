// SPDX-License-Identifier: MIT

import OppiIntents
import OppiModel
import OppiRendering

extension DoctorSubject {
  /// Returns what a check has found in words.
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
    case .answers, .exposed, .clockOffset, .crowdedWorkspace, .crowdedServer, .emptyOutbox,
      .waitingPrompts, .endedPrompts, .schedules, .unwatched, .unmanaged, .lastRun, .noCronDaemon:
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
    case .program(let path): .ok("\(path), version \(Oppi.version)")
    case .notOnPath(let path):
      .note(
        "'\(programName)' alone is not found \(trigger?.place ?? "here")",
        hints: ["call it by its path: \(path)"]
      )
    case .filesInOrder(let config, let state): .ok("\(config) and \(state) are in order")
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
    case .emptyOutbox: .ok("nothing waits")
    case .waitingPrompts(let count, let deliverer): .waitingPrompts(count, deliverer)
    case .endedPrompts(let count, let state): .endedPrompts(count, state)
    case .schedules(let count): .ok(count == 1 ? "1 schedule" : "\(count) schedules")
    case .unwatched(let schedule): .fault(OppiError.unwatched(schedule))
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
    case .mail(let program): .ok("cron mails by \(program)")
    case .noMail(let program): .noMail(program)
    case .completions(let shell, let path): .ok("\(shell) completes by \(path)")
    case .noCompletions(let shell):
      .note("no completions for \(shell) are found", hints: ["install them: oppi setup"])
    case .outdatedCompletions(let path):
      .note("\(path) is of another version", hints: ["renew it: oppi setup"])
    case .unreadableCompletions(let error): .warning(OppiError(error).message)
    default: nil
    }
  }

  private func ofTrigger(_ fact: HealthFact) -> Finding? {
    switch fact {
    case .crontab(let defect): .crontab(defect, program: intents.programPath())
    case .noCrontabProgram:
      .note("no crontab program here", hints: ["use timers of systemd"])
    case .silentCrontabProgram: .warning("crontab -l does not answer")
    case .unreadableShortcuts(let error): .warning(OppiError(error).message)
    case .silentManager: .fault(OppiError.silentManager)
    case .variable(let difference): .variable(difference, for: trigger)
    case .notStarted(let path, let cause): .fault(OppiError.notStarted(path, cause))
    case .unended(let limit): .fault(OppiError.unendedChecks(after: limit))
    default: nil
    }
  }
}

extension HealthCheck {
  /// What the check looks at, for help.
  var summary: String {
    switch self {
    case .program: "this program, and whether its name leads to it"
    case .files: "settings and state: whole, and for nobody else to change"
    case .servers: "paired servers: reachable, certificate, token, clock, room"
    case .shortcuts: "shortcuts: whole, with workspaces that are there"
    case .schedules: "schedules: whole, watched, and how their last runs ended"
    case .outbox: "prompts that wait, and whether anything delivers them"
    case .watch: "whether 'oppi watch' runs"
    case .systemd: "the user's systemd manager, and whether it outlives the login"
    case .notifications: "the session bus, and who shows notifications"
    case .terminal: "the terminal in which 'oppi new' opens a session"
    case .mail: "with --as cron: what mails the output of jobs"
    case .completions: "whether the shell finds its completions"
    }
  }
}
