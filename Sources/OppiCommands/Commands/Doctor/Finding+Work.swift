// SPDX-License-Identifier: MIT

import OppiIntents
import OppiModel
import OppiRendering

/// The words of facts about servers, shortcuts, schedules and the outbox.
extension Finding {
  static func answers(_ server: PairedServer, after elapsed: Duration) -> Finding {
    let trust = server.certificatePin == nil ? "" : ", has the pinned certificate"
    return .ok("\(server.name) answers in \(elapsed.milliseconds) ms\(trust) and takes the token")
  }

  static func exposed(_ server: PairedServer) -> Finding {
    .note(
      "\(server.name) is reached without TLS, so whoever is on the way can read the token",
      hints: ["keep it to a private network such as a VPN, or pair again with https"]
    )
  }

  static func clockOffset(_ offset: Duration, _ server: PairedServer) -> Finding {
    let way = offset > .zero ? "behind" : "ahead of"
    let words = ElapsedTime.text(offset > .zero ? offset : .zero - offset)
    return .warning(
      "the clock here is \(words) \(way) that of \(server.name)",
      hints: ["have the clocks set by the network: timedatectl set-ntp true"]
    )
  }

  static func crowdedWorkspace(_ name: String, _ count: Int) -> Finding {
    .warning(
      "\(name) has \(count) sessions loaded of \(LoadLimits.ofWorkspace), unless the server allows more",
      hints: ["end those that are idle: oppi stop --idle -w '\(name)'"]
    )
  }

  static func crowdedServer(_ server: PairedServer, _ count: Int) -> Finding {
    .warning(
      "\(server.name) has \(count) sessions loaded of \(LoadLimits.ofServer), unless it allows more",
      hints: ["end those that are idle: oppi stop --idle --server '\(server.name)'"]
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
      // A server that does not answer is reported once, by its own check.
      if let code = finding.code, silences.contains(code) {
        unknown += 1
      } else {
        finding.message = "\(name.text): \(finding.message)"
        findings.append(finding)
      }
    }
    let words = count == 1 ? "1 shortcut" : "\(count) shortcuts"
    if unknown > 0 {
      findings.append(.note("\(words), of which \(unknown) could not be checked against a server"))
    } else if count > 0, findings.isEmpty {
      findings.append(.ok(words))
    }
    return findings
  }

  /// The codes after which it is not known what a server has.
  private static let silences: Set<OppiError.Code> = [
    .serverUnreachable, .serverError, .timedOut, .tooManyRequests, .notPaired, .noToken,
    .unauthorized, .pinMismatch, .certificateRejected, .tlsUnavailable,
  ]

  // MARK: - The outbox

  static func waitingPrompts(_ count: Int, _ deliverer: HealthFact.Deliverer) -> Finding {
    let words = count == 1 ? "1 prompt waits" : "\(count) prompts wait"
    switch deliverer {
    case .unknown: return .ok(words)
    case .watch: return .ok("\(words), and oppi watch delivers")
    case .unit(let name): return .ok("\(words), and \(name) delivers")
    case .none:
      return .warning(
        "\(words), and nothing delivers",
        hints: ["deliver by hand: oppi outbox flush", "have it done: oppi setup, or oppi watch"]
      )
    }
  }

  static func endedPrompts(_ count: Int, _ state: String) -> Finding {
    let meaning = state == "unknown" ? "may have run" : "did not run"
    return .warning(
      "\(count == 1 ? "1 prompt" : "\(count) prompts") \(meaning), and nobody has looked",
      hints: ["see with: oppi outbox list --all"]
    )
  }

  // MARK: - Schedules

  static func unmanaged(_ schedule: Schedule) -> Finding {
    .warning(
      "no user manager watches the clock for \(schedule.name)",
      hints: ["have the user manager run always: loginctl enable-linger"]
    )
  }

  static func lastRun(_ run: ScheduleRun, of schedule: Schedule) -> Finding {
    let words = "the last run of \(schedule.name) was \(run.state)"
    let hints = ["see its runs with: oppi schedule list"]
    guard run.isRun else { return .note(words, hints: hints) }
    return .warning(words + (run.error.map { ": \($0)" } ?? ""), hints: hints)
  }

  static let noCronDaemon = Finding.warning(
    Schedules.unread,
    hints: ["start it: sudo systemctl enable --now cron"]
  )
}
