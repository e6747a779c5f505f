// SPDX-License-Identifier: MIT

/// The systemd units that run the program in the background.
package enum ServiceUnit {
  /// The service that runs `oppi watch`.
  package static func watch(by program: SetupProgram) -> String {
    """
    [Unit]
    Description=\(program.name): notifications and status
    Documentation=man:\(program.name)(1)

    [Service]
    Type=notify
    # Phones get no push notifications while this runs, unless --poll 30s is added.
    ExecStart=:\(UnitProgram.word(program.path)) watch
    WorkingDirectory=%h
    Restart=on-failure
    RestartSec=30
    # Not paired or invalid configuration: restarting does not help.
    RestartPreventExitStatus=78
    # The status after SIGTERM.
    SuccessExitStatus=143
    WatchdogSec=2min
    # Includes the timeouts of unreachable servers.
    TimeoutStartSec=1min

    [Install]
    WantedBy=default.target

    """
  }

  /// The service that delivers the due prompts of `oppi outbox` once.
  package static func outbox(by program: SetupProgram) -> String {
    """
    [Unit]
    Description=\(program.name): deliver queued prompts
    Documentation=man:\(program.name)(1)

    [Service]
    Type=oneshot
    ExecStart=:\(UnitProgram.word(program.path)) outbox flush --due -q
    WorkingDirectory=%h
    # Some prompts are still queued; the timer retries.
    SuccessExitStatus=75
    # The prompts of a server are delivered one after another.
    TimeoutStartSec=10min

    """
  }

  /// The timer of that service, for machines without `oppi watch`, which also delivers due prompts.
  package static func outboxTimer(for program: SetupProgram) -> String {
    """
    [Unit]
    Description=\(program.name): deliver queued prompts
    Documentation=man:\(program.name)(1)

    [Timer]
    OnStartupSec=1min
    # Counted from the end of the last run.
    OnUnitInactiveSec=1min
    AccuracySec=15s

    [Install]
    WantedBy=timers.target

    """
  }
}

/// A program's path in a systemd unit.
package enum UnitProgram {
  /// Whether systemd accepts the path: it rejects quotation marks and backslashes even if quoted.
  package static func canRun(_ path: String) -> Bool { !path.contains { "\"'\\".contains($0) } }

  /// Returns the path as the word after `ExecStart=:`, which does not expand `$`: `%` is doubled,
  /// and the word is in double quotes if necessary.
  package static func word(_ path: String) -> String {
    let plain = path.replacing("%", with: "%%")
    return path.contains { " ;".contains($0) } ? "\"\(plain)\"" : plain
  }
}
