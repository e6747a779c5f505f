// SPDX-License-Identifier: MIT

import OppiModel

/// The units by which systemd runs the program in the background.
enum ServiceUnit {
  /// The service that runs `oppi watch`.
  static func watch(by program: SetupProgram) -> String {
    """
    [Unit]
    Description=\(program.name): notifications and status
    Documentation=man:\(program.name)(1)

    [Service]
    Type=notify
    # With --poll 30s phones are told as ever; without it, at once and here alone.
    ExecStart=:\(UnitProgram.word(program.path)) watch
    WorkingDirectory=%h
    Restart=on-failure
    RestartSec=30
    # Not paired, or a file of the configuration is wrong: somebody has to do something first.
    RestartPreventExitStatus=78
    # So it ends when it is stopped.
    SuccessExitStatus=143
    WatchdogSec=2min
    # Servers that do not answer are part of the start.
    TimeoutStartSec=1min

    [Install]
    WantedBy=default.target

    """
  }

  /// The service that delivers what is due of `oppi outbox`, once.
  static func outbox(by program: SetupProgram) -> String {
    """
    [Unit]
    Description=\(program.name): deliver the prompts that wait
    Documentation=man:\(program.name)(1)

    [Service]
    Type=oneshot
    ExecStart=:\(UnitProgram.word(program.path)) outbox flush --due -q
    WorkingDirectory=%h
    # Something waits still; the timer comes again.
    SuccessExitStatus=75
    # Servers are asked one prompt after another.
    TimeoutStartSec=10min

    """
  }

  /// The timer of that service, for machines on which no `oppi watch` runs, which delivers it, too.
  static func outboxTimer(for program: SetupProgram) -> String {
    """
    [Unit]
    Description=\(program.name): deliver the prompts that wait
    Documentation=man:\(program.name)(1)

    [Timer]
    OnStartupSec=1min
    # From the end of the last run, so that a long one is not followed at once.
    OnUnitInactiveSec=1min
    AccuracySec=15s

    [Install]
    WantedBy=timers.target

    """
  }
}
