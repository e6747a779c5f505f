// SPDX-License-Identifier: MIT

import EventLoop
import OppiIntents
import OppiModel
import OppiSystem

/// What a program of a trigger has around it.
struct TriggerEnvironment: Sendable {
  let trigger: Trigger
  /// All its variables.
  var variables: [String: String]
  /// From what that is known, for people.
  var source: String
  /// What was found on the way.
  var findings: [Finding] = []

  /// How long another program may take to say what is there.
  static let limit = Duration.seconds(3)

  static func of(_ trigger: Trigger, in context: Context) async -> TriggerEnvironment {
    switch trigger {
    case .cron: await cron(in: context)
    case .udev: await userManager(in: context)
    case .hotkey: await desktop(in: context)
    }
  }

  var summary: String {
    "\(trigger.place), as \(source): \(variables.keys.sorted().joined(separator: " "))".safeLine()
  }

  /// The members of the object: values may be secret, and stay out.
  static let shape: JSONShape<TriggerEnvironment> = [
    .member("trigger", "cron, udev or hotkey") { .string($0.trigger.rawValue) },
    .member("source", "From what its variables are known") { .string($0.source) },
    .member("variables", "The names of its variables") {
      .array($0.variables.keys.sorted().map(JSONValue.string))
    },
  ]

  /// The variables that make this program do something else with some servers.
  private static func telling(for servers: [PairedServer]) -> [String] {
    let secure = servers.filter { $0.endpoint.scheme == .https }
    return [
      "HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "OPPI_SERVER",
      "OPPI_WORKSPACE",
      "CREDENTIALS_DIRECTORY",
    ]
      + (secure.allSatisfy { $0.endpoint.isHere }
        ? []
        : ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy", "NO_PROXY", "no_proxy"])
      + (secure.allSatisfy { $0.certificatePin != nil } ? [] : ["SSL_CERT_DIR", "SSL_CERT_FILE"])
  }

  /// What is set here and not there, or the other way round, as far as it matters for the servers; of
  /// values nothing is said.
  func differences(
    from environment: [String: String],
    for servers: [PairedServer]
  ) -> [Finding] {
    Self.telling(for: servers).compactMap { name in
      let (here, there) = (environment[name] ?? "", variables[name] ?? "")
      guard here != there else { return nil }
      var finding =
        if there.isEmpty {
          Finding.warning("\(name) is set here and not there", hints: [trigger.remedy(for: name)])
        } else if here.isEmpty {
          Finding.note("\(name) is set there and not here")
        } else {
          Finding.warning("\(name) has another value there", hints: [trigger.remedy(for: name)])
        }
      finding.check = "environment"
      return finding
    }
  }

  /// What every login has, from what is known here.
  static func login(in context: Context) -> [String: String] {
    let environment = context.environment
    var variables = ["HOME": context.workingDirectory().home]
    for name in ["LOGNAME", "USER", "SHELL", "LANG", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS"]
    {
      variables[name] = environment[name]
    }
    return variables
  }
}

// MARK: - cron

extension TriggerEnvironment {
  /// By crontab(5), as Debian's cron has it, with what the user's crontab sets.
  private static func cron(in context: Context) async -> TriggerEnvironment {
    let home = context.workingDirectory().home
    var environment = TriggerEnvironment(
      trigger: .cron,
      variables: ["HOME": home, "PATH": "/usr/bin:/bin", "SHELL": "/bin/sh", "PWD": home],
      source: "cron starts its jobs"
    )
    environment.variables["LOGNAME"] = ProcessSetup.userName()
    guard context.programs.has("crontab") else {
      let finding = Finding.note("no crontab program here", hints: ["use timers of systemd"])
      environment.add([finding], of: "crontab")
      return environment
    }
    guard let outcome = await outcome(of: ["crontab", "-l"], in: context) else {
      environment.add([.warning("crontab -l does not answer")], of: "crontab")
      return environment
    }
    // Who has no crontab is told so by the status.
    guard outcome.status == 0 else { return environment }
    let text = String(decoding: outcome.output, as: UTF8.self)
    let review = CrontabReview(text, program: context.programName, path: context.programPath())
    environment.variables.merge(review.assignments) { $1 }
    if !review.assignments.isEmpty { environment.source += " below what crontab sets" }
    var shortcuts: Set<String>?
    do {
      shortcuts = Set(try context.shortcuts.all().map(\.text))
    } catch {
      environment.add([.warning(OppiError(error).message)], of: "crontab")
    }
    let machine = CrontabReview.Machine(
      hasProgram: { context.programs.has($0, path: $1) },
      hasShortcut: { [shortcuts] in shortcuts?.contains($0) ?? true }
    )
    environment.add(review.findings(on: machine), of: "crontab")
    return environment
  }

  fileprivate mutating func add(_ new: [Finding], of check: String) {
    findings += new.map { finding in
      var finding = finding
      finding.check = check
      return finding
    }
  }

  /// What a program prints; `nil` where it cannot be run or fails.
  fileprivate static func text(of words: [String], in context: Context) async -> String? {
    guard let outcome = await outcome(of: words, in: context), outcome.status == 0 else {
      return nil
    }
    return String(decoding: outcome.output, as: UTF8.self)
  }

  /// How a program ends that says what is there; `nil` where it does not.
  static func outcome(
    of words: [String],
    in context: Context
  ) async -> ChildProcess.Outcome? {
    var process = ChildProcess(arguments: words)
    process.errors = .discarded
    let deadline = context.loop.now + limit
    return try? await context.programs.run(process, on: context.loop, until: deadline)
  }
}

// MARK: - udev

extension TriggerEnvironment {
  /// What the user's systemd manager gives to its units, which is what `SYSTEMD_USER_WANTS` starts.
  private static func userManager(in context: Context) async -> TriggerEnvironment {
    var environment = TriggerEnvironment(
      trigger: .udev,
      variables: login(in: context),
      source: "a guess, for no user manager tells"
    )
    environment.variables["PATH"] = "/usr/local/bin:/usr/bin:/bin"
    environment.variables["XDG_RUNTIME_DIR"] = ProcessSetup.runtimeFolder()
    guard let text = await text(of: ["systemctl", "--user", "show-environment"], in: context) else {
      let error = OppiError(
        .badConfiguration,
        "no systemd user manager answers, which would have to start the unit",
        hints: ["log in with a session, or have it run always: loginctl enable-linger"]
      )
      environment.add([.fault(error)], of: "systemd")
      return environment
    }
    environment.variables = ManagerEnvironment.variables(in: text)
    environment.source = "the user's systemd manager has it"
    return environment
  }
}

// MARK: - Keys

extension TriggerEnvironment {
  /// The programs that start others for a key, those that do nothing else first.
  private static let keyHolders = [
    "sxhkd", "swhks", "sway", "Hyprland", "i3", "gnome-shell", "kwin_wayland", "kwin_x11",
    "kglobalaccel5",
    "kglobalacceld", "plasmashell", "river", "niri", "labwc", "wayfire", "bspwm", "awesome",
    "openbox",
    "xfwm4", "xfce4-session", "cinnamon", "marco", "mutter",
  ]

  /// What the program that waits for keys was started with, by proc(5).
  private static func desktop(in context: Context) async -> TriggerEnvironment {
    var environment = TriggerEnvironment(
      trigger: .hotkey,
      variables: login(in: context),
      source: "a guess, for no desktop of yours runs"
    )
    environment.variables["PATH"] = "/usr/local/bin:/usr/bin:/bin"
    for name in ["DISPLAY", "WAYLAND_DISPLAY", "TERMINAL"] {
      environment.variables[name] = context.nonEmpty(name)
    }
    let running = RunningPrograms(files: context.files)
    guard let holder = running.first(of: keyHolders),
      let variables = running.variables(of: holder)
    else { return environment }
    environment.source = "\(holder.name) (process \(holder.id)) was started"
    environment.variables = variables
    return environment
  }
}
