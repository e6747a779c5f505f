// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel
import OppiSystem

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
  /// Observations made while determining the environment.
  fileprivate(set) var observations: [HealthFact.Observation] = []

  /// How long another program may take.
  static let limit = Duration.seconds(3)

  fileprivate init(_ trigger: Trigger, _ variables: [String: String], _ source: Source) {
    (self.trigger, self.variables, self.source) = (trigger, variables, source)
  }

  fileprivate mutating func add(_ facts: [HealthFact], of check: String) {
    observations += facts.map { HealthFact.Observation(check: check, fact: $0) }
  }

  /// The differences from the current environment that matter for the paired servers.
  func differences(in context: IntentContext) -> [HealthFact.Observation] {
    let servers = (try? context.serverStore.load().servers) ?? []
    let secure = servers.filter { $0.endpoint.scheme == .https }
    return VariableDifference.all(
      here: context.environment,
      there: variables,
      usesProxy: !secure.allSatisfy { $0.endpoint.isHere },
      usesTrustAnchors: !secure.allSatisfy { $0.certificatePin != nil }
    ).map { HealthFact.Observation(check: "environment", fact: .variable($0)) }
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
      environment.add([.noCrontabProgram], of: "crontab")
      return environment
    }
    guard let outcome = await outcome(of: ["crontab", "-l"]) else {
      environment.add([.silentCrontabProgram], of: "crontab")
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
      environment.add([.unreadableShortcuts(error)], of: "crontab")
    }
    let defects = review.defects(
      hasProgram: { programs.has($0, path: $1) },
      hasShortcut: { known?.contains($0) ?? true }
    )
    environment.add(defects.map { .crontab($0) }, of: "crontab")
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
      environment.add([.silentManager], of: "systemd")
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
