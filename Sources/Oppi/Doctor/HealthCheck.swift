// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiSystem

/// The checks of `oppi doctor`, by their names in JSON, in the order of the report.
enum HealthCheck: String, Sendable, CaseIterable {
  case program
  case files
  case servers
  case shortcuts
  case schedules
  case outbox
  case watch
  case systemd
  case notifications
  case terminal
  case mail
  case completions

  /// Longer than the limits of servers and of the desktop.
  private static let limit = Duration.seconds(10)

  /// Runs all checks concurrently.
  static func observations(
    of subject: any DoctorSubject
  ) async -> [HealthFact.Observation] {
    await withTaskGroup(of: (Int, [HealthFact.Observation]).self) { group in
      for (index, check) in allCases.enumerated() {
        group.addTask {
          let facts = await check.limitedFacts(of: subject)
          return (index, facts.map { HealthFact.Observation(check: check.rawValue, fact: $0) })
        }
      }
      return await group.reduce(into: [Int: [HealthFact.Observation]]()) { $0[$1.0] = $1.1 }
        .sorted { $0.key < $1.key }.flatMap(\.value)
    }
  }

  private func limitedFacts(of subject: any DoctorSubject) async -> [HealthFact] {
    let found = await withTaskGroup(of: [HealthFact]?.self) { group in
      group.addTask { await facts(of: subject) }
      group.addTask {
        try? await subject.intents.loop.sleep(for: Self.limit)
        return nil
      }
      defer { group.cancelAll() }
      return await group.next() ?? nil
    }
    return found ?? [.unanswered(after: Self.limit)]
  }

  /// Runs the check; an error becomes a fact.
  private func facts(of subject: any DoctorSubject) async -> [HealthFact] {
    do {
      return switch self {
      case .program: Self.program(subject)
      case .files: Self.files(subject.intents)
      case .servers: try await Self.servers(subject)
      case .shortcuts: try await Self.shortcuts(subject)
      case .schedules: try await Self.schedules(subject)
      case .outbox: try await Self.outbox(subject)
      case .watch: try Self.watch(subject)
      case .systemd: Self.systemd(subject)
      case .notifications: await Self.notifications(subject)
      case .terminal: try Self.terminal(subject)
      case .mail: Self.mail(subject)
      case .completions: Self.completions(subject)
      }
    } catch {
      return [.failed(error)]
    }
  }
}

extension HealthCheck {
  /// Whether `oppi watch` is running.
  static func watch(_ subject: any DoctorSubject) throws -> [HealthFact] {
    guard subject.trigger == nil else { return [] }
    return [.watch(try watchState(subject.intents))]
  }

  /// Whether `oppi watch` is running and updates its snapshot, as readers of the snapshot see it.
  static func watchState(_ context: IntentContext) throws -> HealthFact.WatchState {
    guard try context.files.isLocked(context.paths.watchFile) else { return .absent }
    guard let snapshot = context.statusFile.usable() else { return .starting }
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

extension HealthCheck {
  /// Whether the program's name is found on `PATH`.
  static func program(_ subject: any DoctorSubject) -> [HealthFact] {
    let path = subject.intents.programPath()
    let isFound = subject.intents.programs.has(subject.programName)
    return [.program(path: path)] + (isFound ? [] : [.notOnPath(path: path)])
  }

  /// Whether settings and state can be read, and other users cannot change them.
  static func files(_ context: IntentContext) -> [HealthFact] {
    var facts: [HealthFact] = []
    for look in [settings, state] {
      do {
        try look(context)
      } catch {
        facts.append(.failed(error))
      }
    }
    let paths = context.paths
    return facts.isEmpty ? [.filesInOrder(config: paths.config, state: paths.state)] : facts
  }

  private static func settings(of context: IntentContext) throws {
    let settings = try context.config.load()
    for key in ConfigKey.all { _ = try settings.text(of: key) }
    _ = try settings.directories(home: context.workingDirectory().home)
    _ = try settings.workspacesWithSettings()
    _ = try context.serverStore.load()
  }

  private static func state(of context: IntentContext) throws {
    let (paths, files) = (context.paths, context.files)
    _ = try RecordFile<JSONObject>(paths.credentialsFile, in: files, privacy: .secret).load()
    let others = [
      paths.lastUsedFile, paths.messageHistoryFile, paths.earlierHistoryFile,
      paths.shortcutSessionsFile, paths.setupFile,
    ]
    for path in others { _ = try RecordFile<JSONObject>(path, in: files).load() }
    _ = try context.history.entries()
    // The check creates no folders.
    if files.missingFolders(for: paths.state).isEmpty {
      try RecordFile<JSONObject>(paths.lastUsedFile, in: files).checkWritable()
    }
  }

  /// Whether shortcuts can be read and their workspaces exist.
  static func shortcuts(_ subject: any DoctorSubject) async throws -> [HealthFact] {
    var defects: [(name: ShortcutName, error: any Error)] = []
    let context = subject.intents
    let resolver = WorkspaceResolver(
      servers: try subject.servers(),
      query: context.workspaceQuery,
      limit: context.answerLimit
    )
    let names = try subject.shortcuts()
    for name in names {
      do {
        if let word = try subject.workspace(of: name) { _ = try await resolver.resolve(word) }
      } catch {
        defects.append((name, error))
      }
    }
    return [.shortcuts(count: names.count, defects: defects)]
  }

  /// Whether the outbox can deliver its prompts.
  static func outbox(_ subject: any DoctorSubject) async throws -> [HealthFact] {
    let context = subject.intents
    var counts: [String: Int] = [:]
    var facts: [HealthFact] = []
    for key in try context.outbox.keys() {
      do {
        if var prompt = try context.outbox.load(key), prompt.isQueued {
          prompt.expire(at: context.now())
          counts[prompt.stateWord, default: 0] += 1
        }
      } catch {
        facts.append(.failed(error))
      }
    }
    let waiting = [QueuedPrompt.waitingWord, "checking"].compactMap { counts[$0] }.reduce(0, +)
    if waiting > 0 {
      do {
        facts.append(.waitingPrompts(count: waiting, try await deliverer(subject)))
      } catch {
        facts.append(.failed(error))
      }
    }
    for state in ["unknown", "failed"] {
      if let count = counts[state] { facts.append(.endedPrompts(count: count, state: state)) }
    }
    return facts.isEmpty ? [.emptyOutbox] : facts
  }

  private static func deliverer(_ subject: any DoctorSubject) async throws -> PromptDeliverer {
    // A trigger's environment does not show which units are running.
    guard subject.trigger == nil else { return .unknown }
    return try await subject.intents.promptDeliverer(among: subject.backgroundUnits)
  }
}
