// SPDX-License-Identifier: MIT

import CommandTable
import EventLoop
import OppiClient
import OppiModel
import OppiPrompts
import OppiSystem
import OppiTerminal
import OppiText
import OppiWire

/// The environment in which a trigger starts programs.
struct TriggerEnvironment: Sendable {
  let trigger: Trigger
  fileprivate(set) var variables: [String: String]
  /// The origin of the variables.
  fileprivate(set) var source: String
  /// What was found while the environment was determined.
  fileprivate(set) var findings: [Finding] = []

  /// How long another program may take.
  static let limit = Duration.seconds(3)
  /// The limit of the checks in the environment, above their own.
  private static let checkLimit = Duration.seconds(20)

  /// The findings about the environment, then those of this program in it.
  ///
  /// - Throws: `CancellationError`; `OppiError` if the program prints something else.
  func findings(in context: Context) async throws -> [Finding] {
    let known = findings + differences(in: context.services)
    let options = context.options
    let words =
      [DoctorThere.command.name, trigger.rawValue, "--json"]
      + (options.server.map { ["--server=\($0)"] } ?? [])
      + (options.timeout.map { ["--timeout=\($0.milliseconds)ms"] } ?? [])
    let outcome: ChildProcess.Outcome
    do {
      outcome = try await run(words, in: context.services)
    } catch let error as OppiError {
      return known + [Finding.fault(error).of("program")]
    }
    guard let json = try? JSONValue(parsing: outcome.output),
      let found = json["findings"].array?.compactMap(Finding.record.record), !found.isEmpty
    else {
      let words = String(decoding: outcome.errors, as: UTF8.self).safeLine(limit: 200)
      throw OppiError(.bug, "the checks failed with status \(outcome.status): \(words)")
    }
    return known + found
  }

  /// Runs this program in the environment.
  ///
  /// - Throws: `OppiError` if it does not start or does not finish; `CancellationError`.
  private func run(
    _ arguments: [String],
    in context: Services
  ) async throws -> ChildProcess.Outcome {
    let path = context.programPath()
    var process = ChildProcess(arguments: [path] + arguments)
    process.environment = variables
    process.errors = .collected
    let deadline = context.loop.now + Self.checkLimit
    do throws(ChildProcess.Failure) {
      return try await context.programs.run(process, on: context.loop, until: deadline)
    } catch {
      switch error {
      case .cancelled: throw CancellationError()
      case .cannotStart(let cause):
        throw OppiError(
          .badConfiguration,
          "cannot start \(path) in this environment: \(cause)",
          hints: ["install it in another folder, for example ~/.local/bin"]
        )
      case .timedOut, .tooMuchOutput:
        let time = ElapsedTime.text(Self.checkLimit)
        throw OppiError(.timedOut, "the checks in this environment timed out after \(time)")
      }
    }
  }

  /// The differences from the current environment that matter for the paired servers.
  private func differences(in context: Services) -> [Finding] {
    let servers = (try? context.serverStore.load().servers) ?? []
    let secure = servers.filter { $0.endpoint.scheme == .https }
    return RelevantVariables.differences(
      here: context.environment,
      there: variables,
      usesProxy: !secure.allSatisfy { $0.endpoint.isHere },
      usesTrustAnchors: !secure.allSatisfy { $0.certificatePin != nil }
    ).map { name, here, there in
      let words = there.isEmpty ? "is set here, but not" : "has a different value"
      let finding: Finding =
        here.isEmpty
        ? .note("\(name) is set \(trigger.place), but not here")
        : .warning("\(name) \(words) \(trigger.place)", hints: [trigger.remedy(for: name)])
      return finding.of("environment")
    }
  }
}

extension Services {
  /// Determines the environment of a trigger; `program` is the name of this program in the crontab.
  func environment(of trigger: Trigger, program: String) async -> TriggerEnvironment {
    switch trigger {
    case .cron: await cronEnvironment(program: program)
    case .udev: await managerEnvironment()
    case .hotkey: desktopEnvironment()
    }
  }

  /// The variables of every login, with the values of this environment.
  private func loginVariables() -> [String: String] {
    var variables = ["HOME": workingDirectory().home]
    for name in ["LOGNAME", "USER", "SHELL", "LANG", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS"]
    {
      variables[name] = environment[name]
    }
    variables["PATH"] = "/usr/local/bin:/usr/bin:/bin"
    return variables
  }

  /// The outcome of another program; `nil` if it does not finish.
  private func outcome(of words: [String]) async -> ChildProcess.Outcome? {
    try? await tools.run(words, within: TriggerEnvironment.limit)
  }

  // MARK: - cron

  /// As crontab(5) and Debian's cron set it, with the assignments of the user's crontab.
  private func cronEnvironment(program: String) async -> TriggerEnvironment {
    let home = workingDirectory().home
    var environment = TriggerEnvironment(
      trigger: .cron,
      variables: ["HOME": home, "PATH": "/usr/bin:/bin", "SHELL": "/bin/sh", "PWD": home],
      source: "set by cron"
    )
    environment.variables["LOGNAME"] = ProcessSetup.userName()
    guard programs.has("crontab") else {
      environment.findings = [
        .note("no crontab program found", hints: ["use systemd timers"]).of("crontab")
      ]
      return environment
    }
    guard let outcome = await outcome(of: ["crontab", "-l"]) else {
      environment.findings = [.warning("crontab -l timed out").of("crontab")]
      return environment
    }
    // `crontab -l` fails for a user without a crontab.
    guard outcome.status == 0 else { return environment }
    let text = String(decoding: outcome.output, as: UTF8.self)
    let commands = Set(OppiTable.commands.map(\.name))
    let review = CrontabReview(text, program: program, commands: commands)
    environment.variables.merge(review.assignments) { $1 }
    if !review.assignments.isEmpty { environment.source += " with the variables of the crontab" }
    var known: Set<String>?
    do {
      known = Set(try shortcuts.names())
    } catch {
      environment.findings.append(.warning(OppiError(error).message).of("crontab"))
    }
    let defects = review.defects(
      hasProgram: { programs.has($0, path: $1) },
      hasShortcut: { known?.contains($0) ?? true }
    )
    let path = programPath()
    environment.findings += defects.map { Finding.crontab($0, program: path).of("crontab") }
    return environment
  }

  // MARK: - udev

  /// The environment of units that `SYSTEMD_USER_WANTS` starts, from the user's systemd manager.
  private func managerEnvironment() async -> TriggerEnvironment {
    var environment = TriggerEnvironment(
      trigger: .udev,
      variables: loginVariables(),
      source: "guessed, no user manager found"
    )
    environment.variables["XDG_RUNTIME_DIR"] = ProcessSetup.runtimeFolder()
    guard let outcome = await outcome(of: ["systemctl", "--user", "show-environment"]),
      outcome.status == 0
    else {
      environment.findings = [
        .fault(
          .badConfiguration,
          "the systemd user manager, which runs the unit, is not running",
          hints: ["log in, or \(Finding.lingering)"]
        ).of("systemd")
      ]
      return environment
    }
    let text = String(decoding: outcome.output, as: UTF8.self)
    environment.variables = ManagerEnvironment.variables(in: text)
    environment.source = "reported by the systemd user manager"
    return environment
  }

  // MARK: - Hotkeys

  /// Programs that start commands for key bindings, dedicated ones first.
  private static let keyHolders = [
    "sxhkd", "swhks", "sway", "Hyprland", "i3", "gnome-shell", "kwin_wayland", "kwin_x11",
    "kglobalaccel5", "kglobalacceld", "plasmashell", "river", "niri", "labwc", "wayfire", "bspwm",
    "awesome", "openbox", "xfwm4", "xfce4-session", "cinnamon", "marco", "mutter",
  ]

  /// The initial environment of the program that handles key bindings, from proc(5).
  private func desktopEnvironment() -> TriggerEnvironment {
    var environment = TriggerEnvironment(
      trigger: .hotkey,
      variables: loginVariables(),
      source: "guessed, no desktop is running"
    )
    for name in ["DISPLAY", "WAYLAND_DISPLAY", "TERMINAL"] {
      environment.variables[name] = nonEmpty(name)
    }
    let running = RunningPrograms(files: files)
    guard let holder = running.first(of: Self.keyHolders),
      let variables = running.variables(of: holder)
    else { return environment }
    environment.source = "from \(holder.name) (process \(holder.id))"
    environment.variables = variables
    return environment
  }
}

extension Finding {
  /// A defect of a line in the crontab; `program` is this program's path.
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
}

extension Trigger: ArgumentValue {
  static var placeholder: String { "TRIGGER" }

  /// The phrase for a sentence.
  var place: String {
    switch self {
    case .cron: "under cron"
    case .udev: "in a unit started by udev"
    case .hotkey: "for a hotkey"
    }
  }

  /// How to set a variable for the trigger.
  func remedy(for variable: String) -> String {
    switch self {
    case .cron: "write \(variable)=... above the jobs, with: crontab -e"
    case .udev: "write \(variable)=... to ~/.config/environment.d/oppi.conf and log in again"
    case .hotkey:
      "write \(variable)=... to ~/.config/environment.d/oppi.conf, or export it in ~/.profile, and "
        + "log in again"
    }
  }
}

extension TriggerEnvironment {
  var summary: String {
    "\(trigger.place), \(source): \(variables.keys.sorted().joined(separator: " "))"
      .safeLine()
  }

  /// Contains no values, because they may be secret.
  static let shape: JSONShape<TriggerEnvironment> = [
    .text("trigger", "cron, udev or hotkey") { $0.trigger.rawValue },
    .text("source", "The source of its variables") { $0.source },
    .texts("variables", "The names of its variables") { $0.variables.keys.sorted() },
  ]
}
