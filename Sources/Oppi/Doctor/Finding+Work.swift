// SPDX-License-Identifier: MIT

import OppiModel
import OppiRendering

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
