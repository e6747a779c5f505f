// SPDX-License-Identifier: MIT

import CommandTable
import EventLoop
import OppiClient
import OppiModel
import OppiPrompts
import OppiSystem
import OppiTerminal
import OppiText

/// What the checks of `oppi doctor` look at.
struct CheckedProgram: Sendable {
  let context: Context
  /// What starts the program; `nil` for a user at a shell.
  let trigger: Trigger?

  init(context: Context, trigger: Trigger?) {
    (self.context, self.trigger) = (context.askingAgain, trigger)
  }

  var services: Services { context.services }
  var programName: String { context.programName }
}

/// A check of `oppi doctor`.
struct HealthCheck: Sendable {
  /// The name in JSON.
  let name: String
  /// The description for help.
  let summary: String
  let findings: @Sendable (CheckedProgram) async throws -> [Finding]

  /// In the order of the report.
  static let all = [
    HealthCheck("program", "this program, and whether it is in PATH") { $0.program() },
    HealthCheck("files", "settings and state: valid, and not writable by others") { $0.files() },
    HealthCheck("servers", "paired servers: connection, certificate, access, clock, room") {
      try await $0.pairedServers()
    },
    HealthCheck("shortcuts", "shortcuts: valid, with existing workspaces") {
      try await $0.shortcuts()
    },
    HealthCheck("schedules", "schedules: valid, enabled, and results of their last runs") {
      try await $0.schedules()
    },
    HealthCheck("outbox", "queued prompts, and whether they are delivered") {
      try await $0.outbox()
    },
    HealthCheck("watch", "whether 'oppi watch' is running") { try $0.watch() },
    HealthCheck("systemd", "the systemd user manager, and whether it runs while logged out") {
      $0.systemd()
    },
    HealthCheck("notifications", "the session bus and the notification daemon") {
      await $0.notifications()
    },
    HealthCheck("terminal", "the terminal in which 'oppi new' opens a session") {
      try $0.terminal()
    },
    HealthCheck("mail", "with --as cron: the mail program for the output of jobs") { $0.mail() },
    HealthCheck("completions", "shell completions") { $0.completions() },
  ]

  /// Longer than the limits of servers and of the desktop.
  private static let limit = Duration.seconds(10)

  private init(
    _ name: String,
    _ summary: String,
    _ findings: @escaping @Sendable (CheckedProgram) async throws -> [Finding]
  ) {
    (self.name, self.summary, self.findings) = (name, summary, findings)
  }

  /// A check with at most one finding.
  private init(
    _ name: String,
    _ summary: String,
    _ finding: @escaping @Sendable (CheckedProgram) async throws -> Finding?
  ) {
    self.init(name, summary) { program -> [Finding] in
      try await finding(program).map { [$0] } ?? []
    }
  }

  /// Runs all checks concurrently.
  static func findings(of program: CheckedProgram) async -> [Finding] {
    await withTaskGroup(of: (Int, [Finding]).self) { group in
      for (index, check) in all.enumerated() {
        group.addTask { (index, await check.limitedFindings(of: program)) }
      }
      return await group.reduce(into: [Int: [Finding]]()) { $0[$1.0] = $1.1 }
        .sorted { $0.key < $1.key }.flatMap(\.value)
        .reduce(into: []) { findings, finding in
          // A fault that several checks meet is reported by the first one.
          let isKnown = findings.contains { $0.code != nil && $0.message == finding.message }
          if finding.code == nil || !isKnown { findings.append(finding) }
        }
    }
  }

  /// Runs the check; an error becomes a finding.
  private func limitedFindings(of program: CheckedProgram) async -> [Finding] {
    let found = await withTaskGroup(of: [Finding]?.self) { group in
      group.addTask {
        do {
          return try await findings(program)
        } catch {
          return [.fault(error)]
        }
      }
      group.addTask {
        try? await program.services.loop.sleep(for: Self.limit)
        return nil
      }
      defer { group.cancelAll() }
      return await group.next() ?? nil
    }
    let late = Finding.warning("no answer within \(ElapsedTime.text(Self.limit))")
    return (found ?? [late]).map { $0.of(name) }
  }
}

// MARK: - The program and its files

extension CheckedProgram {
  /// Whether the program's name is found on `PATH`.
  fileprivate func program() -> [Finding] {
    let path = services.programPath()
    let own = Finding.ok("\(path), version \(OppiProgram.version)")
    guard !services.programs.has(programName) else { return [own] }
    return [
      own,
      .note(
        "'\(programName)' is not in PATH \(trigger?.place ?? "here")",
        hints: ["use its path: \(path)"]
      ),
    ]
  }

  /// Whether settings and state can be read, and other users cannot change them.
  fileprivate func files() -> [Finding] {
    let (paths, files) = (services.paths, services.files)
    let looks: [() throws -> Void] =
      [readSettings, { _ = try services.history.entries() }]
      + paths.ownFiles.map { file in { try files.check(file) } }
      // The check creates no folders.
      + paths.ownFolders.map { folder in { try files.checkWritable(folder: folder, 4096) } }
    var findings: [Finding] = []
    for look in looks {
      do {
        try look()
      } catch {
        let finding = Finding.fault(error)
        // Some files are looked at twice.
        if !findings.contains(finding) { findings.append(finding) }
        // It needs no warning besides the finding.
        if let error = error as? FileError { files.faults.note(error) }
      }
    }
    findings += files.faults.take().filter(\.isReplaced).map { fault in
      .warning("\(fault.error.explanation.message); it is replaced when it is next written")
    }
    return findings.isEmpty ? [.ok("no problems in \(paths.config) and \(paths.state)")] : findings
  }

  private func readSettings() throws {
    let settings = try services.config.load()
    for key in ConfigKey.withColors { _ = try settings.text(of: key) }
    _ = try ConsoleKeys.bindings(of: settings)
    _ = try settings.directories(home: services.workingDirectory().home)
    _ = try settings.workspacesWithSettings()
    _ = try services.serverStore.load()
  }
}

// MARK: - The desktop and the machine

extension CheckedProgram {
  /// Whether `oppi watch` is running.
  fileprivate func watch() throws -> Finding? {
    guard trigger == nil else { return nil }
    switch try services.watchState() {
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

  /// The state of systemd and of the user's manager.
  fileprivate func systemd() -> Finding? {
    guard trigger != .hotkey else { return nil }
    let manager = services.userManager
    guard manager.isOnMachine else {
      return .note("systemd is not running", hints: ["use cron for schedules"])
    }
    guard manager.isThere else {
      // A cron job neither has nor needs a user manager.
      guard trigger != .cron else { return nil }
      return .warning(
        "no systemd user manager found via XDG_RUNTIME_DIR",
        hints: ["log in, or \(Finding.lingering)"]
      )
    }
    let user = services.nonEmpty("LOGNAME") ?? ProcessSetup.userName() ?? ""
    guard manager.lingers(for: user) else {
      return .note(
        "the user manager, its timers and watch stop when you log out",
        hints: [Finding.lingering]
      )
    }
    return .ok("the user manager keeps running while you are logged out")
  }

  /// Whether notifications can be shown.
  fileprivate func notifications() async -> Finding? {
    // Invalid settings are reported once, by the check of the files.
    let settings = try? context.config.load()
    let command = (try? settings?.value(of: .notifyCommand, as: ProgramLine.self))??.words
    do throws(DesktopError) {
      let notifier = try await services.desktop.notifier(command: command, on: services.loop)
      let buttons = try await notifier.offersActions ? "with" : "without"
      return .ok("notifications can be shown, \(buttons) buttons")
    } catch {
      let daemon = "start a notification daemon, for example dunst or mako"
      let hints =
        (error == .noDaemon ? [daemon] : [])
        + ["forward notifications with: oppi config set notify.command '...'"]
      switch trigger {
      case .hotkey, .udev:
        return .warning("\(error); results of prompts cannot be shown", hints: hints)
      case .cron: return .note("\(error); cron mails what a job prints")
      case nil: return .warning(error.description, hints: hints)
      }
    }
  }

  /// Whether a session can be opened in a window.
  fileprivate func terminal() throws -> Finding? {
    guard trigger == nil || trigger == .hotkey else { return nil }
    guard let command = try services.terminalWindow.command(running: []) else {
      return .warning(
        "no terminal found to open a session in",
        hints: ["set TERMINAL, or install xdg-terminal-exec"]
      )
    }
    return .ok("sessions open in \(command.joined(separator: " ").safeLine(limit: 80))")
  }

  /// Whether the output of a cron job is mailed.
  fileprivate func mail() -> Finding? {
    guard trigger == .cron else { return nil }
    let program = "/usr/sbin/sendmail"
    guard services.programs.has(program) else {
      return .warning(
        "\(program) is missing; cron discards the output of jobs",
        hints: [
          "install a mail program, or redirect the output to a file: ... >>~/oppi.log 2>&1",
          "list prompts and their outcomes with: oppi history",
        ]
      )
    }
    return .ok("cron sends mail with \(program)")
  }

  /// Whether the completions of the user's shell are installed and current.
  fileprivate func completions() -> Finding? {
    guard trigger == nil,
      let shell = services.nonEmpty("SHELL")?.split(separator: "/").last.map(String.init),
      let (script, places) = completion(for: shell)
    else { return nil }
    var found: (path: String, bytes: [UInt8])?
    for path in places where found == nil {
      do throws(FileError) {
        found = try services.files.read(path, privacy: .untrusted).map { (path, $0) }
      } catch {
        return .warning(OppiError(error).message)
      }
    }
    guard let (path, bytes) = found else {
      return .note("no completions found for \(shell)", hints: ["install them: oppi setup"])
    }
    // A prefix, because setup writes its mark at the end.
    guard bytes.starts(with: script.utf8) else {
      return .note("\(path) is from another version", hints: ["update it: oppi setup"])
    }
    return .ok("\(shell) uses \(path)")
  }

  /// A shell's completion script, and the paths where the shell looks for it; `nil` for a shell
  /// without completions.
  private func completion(for shell: String) -> (script: String, places: [String])? {
    let name = programName
    let place = SetupPlace.user(context.paths)
    let shared = (context.nonEmpty("XDG_DATA_DIRS") ?? "/usr/local/share:/usr/share")
      .split(separator: ":").map(String.init)
    switch shell {
    case "bash":
      let folders = [place.data] + shared
      return (
        CompletionShell.bash.script(for: name),
        folders.map { "\($0)/bash-completion/completions/\(name)" }
          + ["/etc/bash_completion.d/\(name)"]
      )
    case "zsh":
      let functions = (context.environment["FPATH"] ?? "").split(separator: ":").map(String.init)
      let folders = functions + [place.zshFunctions] + SetupPlace.zshDefaults
      return (CompletionShell.zsh.script(for: name), folders.map { "\($0)/_\(name)" })
    case "fish":
      let folders = [place.fishCompletions] + shared.map { "\($0)/fish/vendor_completions.d" }
      return (CompletionShell.fish.script(for: name), folders.map { "\($0)/\(name).fish" })
    default: return nil
    }
  }
}
