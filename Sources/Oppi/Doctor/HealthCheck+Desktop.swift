// SPDX-License-Identifier: MIT

import OppiModel
import OppiSystem

extension HealthCheck {
  /// Whether `oppi watch` is running.
  static func watch(_ subject: any DoctorSubject) throws -> [HealthFact] {
    guard subject.trigger == nil else { return [] }
    return [.watch(try watchState(subject.intents))]
  }

  /// Whether `oppi watch` is running and updates its snapshot, as readers of the snapshot see it.
  static func watchState(_ context: IntentContext) throws -> HealthFact.WatchState {
    guard try context.files.isLocked(context.paths.watchFile) else { return .absent }
    guard let snapshot = context.statusFile.load() else { return .starting }
    let now = context.now()
    return snapshot.isKept(at: now) ? .running : .stuck(since: snapshot.at, now: now)
  }

  /// The state of systemd and of the user's manager.
  static func systemd(_ subject: any DoctorSubject) -> [HealthFact] {
    guard subject.trigger != .hotkey else { return [] }
    let manager = subject.intents.userManager
    guard manager.isOnMachine else { return [.systemd(.notRunning)] }
    // A cron job neither has nor needs a user manager.
    guard manager.isThere else { return subject.trigger == .cron ? [] : [.systemd(.noManager)] }
    let user = subject.intents.nonEmpty("LOGNAME") ?? ProcessSetup.userName() ?? ""
    return [.systemd(manager.lingers(for: user) ? .lingers : .endsWithLogin)]
  }

  /// Whether notifications can be shown.
  static func notifications(_ subject: any DoctorSubject) async -> [HealthFact] {
    let context = subject.intents
    do {
      let command = try subject.notifyCommand()
      let notifier = try await context.desktop.notifier(command: command, on: context.loop)
      return [.notifications(hasButtons: try await notifier.offersActions)]
    } catch {
      return [.noNotifications(because: error)]
    }
  }

  /// Whether a session can be opened in a window.
  static func terminal(_ subject: any DoctorSubject) throws -> [HealthFact] {
    guard subject.trigger == nil || subject.trigger == .hotkey else { return [] }
    let command = try subject.intents.terminalWindow.command(running: [])
    return [command.map { .terminal(command: $0) } ?? .noTerminal]
  }

  /// Whether the output of a cron job is mailed.
  static func mail(_ subject: any DoctorSubject) -> [HealthFact] {
    guard subject.trigger == .cron else { return [] }
    let program = "/usr/sbin/sendmail"
    let isThere = subject.intents.programs.has(program)
    return [isThere ? .mail(program: program) : .noMail(program: program)]
  }

  /// Whether the completions of the user's shell are installed and current.
  static func completions(_ subject: any DoctorSubject) -> [HealthFact] {
    let context = subject.intents
    guard subject.trigger == nil,
      let shell = context.nonEmpty("SHELL")?.split(separator: "/").last.map(String.init),
      let (script, places) = subject.completion(for: shell)
    else { return [] }
    var found: (path: String, bytes: [UInt8])?
    for path in places where found == nil {
      do throws(FileError) {
        found = try context.files.read(path, privacy: .untrusted).map { (path, $0) }
      } catch {
        return [.unreadableCompletions(error)]
      }
    }
    guard let (path, bytes) = found else { return [.noCompletions(shell: shell)] }
    // A prefix, because setup writes its mark at the end.
    guard bytes.starts(with: script.utf8) else { return [.outdatedCompletions(path: path)] }
    return [.completions(shell: shell, path: path)]
  }
}
