// SPDX-License-Identifier: MIT

import CommandTable
import OppiIntents
import OppiModel
import OppiRendering
import OppiSystem

extension HealthCheck {
  /// What tells the user of approvals and delivers the outbox.
  static let watch = HealthCheck(
    name: "watch",
    summary: "whether 'oppi watch' runs"
  ) { subject in
    guard subject.trigger == nil else { return [] }
    let context = subject.context
    do {
      switch try watchState(in: context) {
      case .running: return [.ok("oppi watch runs")]
      case .starting: return [.ok("oppi watch is starting")]
      case .stuck(let moment):
        let now = context.now()
        let age = RelativeTime.age(seconds: moment.age(at: now))
        let time = moment > now ? "since the clock was set back" : "for \(age)"
        return [
          .warning(
            "oppi watch runs, but has written no snapshot \(time)",
            hints: ["end it and start it again; as a unit: systemctl --user restart oppi-watch"]
          )
        ]
      case .absent:
        return [
          .note(
            "oppi watch does not run: bars query servers directly; approval notifications are off",
            hints: ["oppi setup installs it as a unit; or run: oppi watch"]
          )
        ]
      }
    } catch {
      return [.fault(error)]
    }
  }

  /// What runs timers and units of the user.
  static let systemd = HealthCheck(
    name: "systemd",
    summary: "the user's systemd manager, and whether it outlives the login"
  ) { subject in
    guard subject.trigger != .hotkey else { return [] }
    let manager = subject.context.userManager
    guard manager.isOnMachine else {
      return [.note("systemd does not run this machine", hints: ["use cron for schedules"])]
    }
    guard manager.isThere else {
      let finding = Finding.warning(
        "no systemd user manager is known here: XDG_RUNTIME_DIR leads to none",
        hints: ["log in with a session, or have it run always: loginctl enable-linger"]
      )
      // A job of cron has none, and needs none.
      return subject.trigger == .cron ? [] : [finding]
    }
    let user = subject.context.nonEmpty("LOGNAME") ?? ProcessSetup.userName() ?? ""
    guard !manager.lingers(for: user) else {
      return [.ok("the user manager runs, also when you are logged out")]
    }
    return [
      .note(
        "the user manager ends with your last login, and timers and watch with it",
        hints: ["have it run always: loginctl enable-linger"]
      )
    ]
  }

  /// Who shows notifications.
  static let notifications = HealthCheck(
    name: "notifications",
    summary: "the session bus, and who shows notifications"
  ) { subject in
    let context = subject.context
    do {
      let command = try context.config.load().value(of: .notifyCommand, as: ProgramLine.self)?.words
      let notifier = try await context.desktop.notifier(command: command, on: context.loop)
      let hasButtons = try await notifier.offersActions
      return [.ok("notifications can be shown, \(hasButtons ? "with" : "without") buttons")]
    } catch {
      let daemon = "start a notification daemon such as dunst or mako"
      let hints =
        ((error as? DesktopError) == .noDaemon ? [daemon] : [])
        + ["a program of yours can tell you as well: oppi config set notify.command '...'"]
      return switch subject.trigger {
      case .hotkey, .udev:
        [.warning("\(error), so nobody would see what became of a prompt", hints: hints)]
      case .cron: [.note("\(error); cron mails what a job prints")]
      case nil: [.warning("\(error)", hints: hints)]
      }
    }
  }

  /// What opens a session in a window.
  static let terminal = HealthCheck(
    name: "terminal",
    summary: "the terminal in which 'oppi new' opens a session"
  ) { subject in
    guard subject.trigger == nil || subject.trigger == .hotkey else { return [] }
    let context = subject.context
    do {
      if let command = try TerminalWindow(in: context).command(running: []) {
        return [.ok("sessions open in \(command.joined(separator: " ").safeLine(limit: 80))")]
      }
      return [
        .warning(
          "no terminal to open a session in",
          hints: ["set TERMINAL, or install xdg-terminal-exec"]
        )
      ]
    } catch {
      return [.fault(error)]
    }
  }

  /// What carries away what a job of cron prints.
  static let mail = HealthCheck(
    name: "mail",
    summary: "with --as cron: what mails the output of jobs"
  ) { subject in
    guard subject.trigger == .cron else { return [] }
    let program = "/usr/sbin/sendmail"
    if subject.context.programs.has(program) { return [.ok("cron mails by \(program)")] }
    return [
      .warning(
        "there is no \(program), so cron drops what a job prints",
        hints: [
          "install a mail program, or let the job write to a file: ... >>~/oppi.log 2>&1",
          "see what was asked, and how it ended, with: oppi history",
        ]
      )
    ]
  }

  /// Whether the user's shell completes.
  static let completions = HealthCheck(
    name: "completions",
    summary: "whether the shell finds its completions"
  ) { subject in
    let context = subject.context
    let name = context.programName
    guard subject.trigger == nil, let shell = context.nonEmpty("SHELL")?.split(separator: "/").last,
      let (script, places) = completion(for: String(shell), name, in: context)
    else { return [] }
    var found: (path: String, bytes: [UInt8])?
    for path in places where found == nil {
      do throws(FileError) {
        found = try context.files.read(path, privacy: .untrusted).map { (path, $0) }
      } catch {
        return [.warning(OppiError(error).message)]
      }
    }
    guard let (path, bytes) = found else {
      return [.note("no completions for \(shell) are found", hints: ["install them: oppi setup"])]
    }
    // Setup writes its mark behind them.
    guard bytes.starts(with: script.utf8) else {
      return [.note("\(path) is of another version", hints: ["renew it: oppi setup"])]
    }
    return [.ok("\(shell) completes by \(path)")]
  }

  /// The script of a shell, and where that looks for it.
  private static func completion(
    for shell: String,
    _ name: String,
    in context: Context
  ) -> (script: String, places: [String])? {
    let place = SetupPlace.user(context.paths)
    let shared = (context.nonEmpty("XDG_DATA_DIRS") ?? "/usr/local/share:/usr/share")
      .split(separator: ":").map(String.init)
    switch shell {
    case "bash":
      let folders = [place.data] + shared
      return (
        BashCompletion.script(for: name),
        folders.map { "\($0)/bash-completion/completions/\(name)" }
          + ["/etc/bash_completion.d/\(name)"]
      )
    case "zsh":
      let functions = (context.environment["FPATH"] ?? "").split(separator: ":").map(String.init)
      let folders = functions + [place.zshFunctions] + SetupPlace.zshDefaults
      return (ZshCompletion.script(for: name), folders.map { "\($0)/_\(name)" })
    case "fish":
      let folders = [place.fishCompletions] + shared.map { "\($0)/fish/vendor_completions.d" }
      return (FishCompletion.script(for: name), folders.map { "\($0)/\(name).fish" })
    default: return nil
    }
  }
}
