// SPDX-License-Identifier: MIT

import CommandTable
import EventLoop
import OppiModel
import OppiSystem
import OppiTerminal

/// The environment in which a trigger starts programs.
struct TriggerEnvironment: Sendable {
  /// The origin of the variables.
  enum Source: Sendable, Equatable {
    /// crontab(5), and the assignments in the user's crontab.
    case cron(setsVariables: Bool)
    case userManager
    /// No user manager answers.
    case guessWithoutManager
    case process(RunningPrograms.Process)
    /// No known desktop program of the user is running.
    case guessWithoutDesktop
  }

  let trigger: Trigger
  fileprivate(set) var variables: [String: String]
  fileprivate(set) var source: Source
  /// What was found while the environment was determined.
  fileprivate(set) var findings: [Finding] = []

  /// How long another program may take.
  static let limit = Duration.seconds(3)
  /// The limit of the checks in the environment, above their own.
  private static let checkLimit = Duration.seconds(20)

  fileprivate init(_ trigger: Trigger, _ variables: [String: String], _ source: Source) {
    (self.trigger, self.variables, self.source) = (trigger, variables, source)
  }

  /// The findings about the environment, then those of this program in it.
  ///
  /// - Throws: `CancellationError`; `OppiError` if the program prints something else.
  func findings(in context: Context) async throws -> [Finding] {
    let known = findings + differences(in: context.intents)
    let options = context.options
    let words =
      [DoctorThere.command.name, trigger.rawValue, "--json"]
      + (options.server.map { ["--server=\($0)"] } ?? [])
      + (options.timeout.map { ["--timeout=\($0.milliseconds)ms"] } ?? [])
    let outcome: ChildProcess.Outcome
    do {
      outcome = try await run(words, in: context.intents)
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
    in context: IntentContext
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
  private func differences(in context: IntentContext) -> [Finding] {
    let servers = (try? context.serverStore.load().servers) ?? []
    let secure = servers.filter { $0.endpoint.scheme == .https }
    return VariableDifference.all(
      here: context.environment,
      there: variables,
      usesProxy: !secure.allSatisfy { $0.endpoint.isHere },
      usesTrustAnchors: !secure.allSatisfy { $0.certificatePin != nil }
    ).map { difference in
      let finding: Finding =
        switch difference {
        case .missingThere(let name):
          .warning(
            "\(name) is set here, but not \(trigger.place)",
            hints: [trigger.remedy(for: name)]
          )
        case .missingHere(let name): .note("\(name) is set \(trigger.place), but not here")
        case .changed(let name):
          .warning(
            "\(name) has a different value \(trigger.place)",
            hints: [trigger.remedy(for: name)]
          )
        }
      return finding.of("environment")
    }
  }
}

extension IntentContext {
  /// Determines the environment of a trigger.
  ///
  /// `program` and `commands`, the names of this program and of its commands, serve to find its
  /// lines in the crontab.
  func environment(
    of trigger: Trigger,
    program: String,
    commands: Set<String>
  ) async -> TriggerEnvironment {
    switch trigger {
    case .cron: await cronEnvironment(program: program, commands)
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
  private func cronEnvironment(
    program: String,
    _ commands: Set<String>
  ) async -> TriggerEnvironment {
    let home = workingDirectory().home
    var environment = TriggerEnvironment(
      .cron,
      ["HOME": home, "PATH": "/usr/bin:/bin", "SHELL": "/bin/sh", "PWD": home],
      .cron(setsVariables: false)
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
    let review = CrontabReview(text, program: program, commands: commands)
    environment.variables.merge(review.assignments) { $1 }
    environment.source = .cron(setsVariables: !review.assignments.isEmpty)
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
    environment.findings += defects.map {
      Finding.crontab($0, program: programPath()).of("crontab")
    }
    return environment
  }

  // MARK: - udev

  /// The environment of units that `SYSTEMD_USER_WANTS` starts, from the user's systemd manager.
  private func managerEnvironment() async -> TriggerEnvironment {
    var environment = TriggerEnvironment(.udev, loginVariables(), .guessWithoutManager)
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
    environment.source = .userManager
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
    var environment = TriggerEnvironment(.hotkey, loginVariables(), .guessWithoutDesktop)
    for name in ["DISPLAY", "WAYLAND_DISPLAY", "TERMINAL"] {
      environment.variables[name] = nonEmpty(name)
    }
    let running = RunningPrograms(files: files)
    guard let holder = running.first(of: Self.keyHolders),
      let variables = running.variables(of: holder)
    else { return environment }
    environment.source = .process(holder)
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
    "\(trigger.place), \(sourceWords): \(variables.keys.sorted().joined(separator: " "))"
      .safeLine()
  }

  private var sourceWords: String {
    switch source {
    case .cron(let setsVariables):
      "set by cron" + (setsVariables ? " with the variables of the crontab" : "")
    case .userManager: "reported by the systemd user manager"
    case .guessWithoutManager: "guessed, no user manager found"
    case .process(let holder): "from \(holder.name) (process \(holder.id))"
    case .guessWithoutDesktop: "guessed, no desktop is running"
    }
  }

  /// Contains no values, because they may be secret.
  static let shape: JSONShape<TriggerEnvironment> = [
    .text("trigger", "cron, udev or hotkey") { $0.trigger.rawValue },
    .text("source", "The source of its variables") { $0.sourceWords },
    .texts("variables", "The names of its variables") { $0.variables.keys.sorted() },
  ]
}
