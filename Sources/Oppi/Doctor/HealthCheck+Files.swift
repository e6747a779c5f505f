// SPDX-License-Identifier: MIT

import OppiModel
import OppiSystem

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
    try JSONFile(path: paths.credentialsFile, in: files, privacy: .secret).checkReadable()
    let others = [
      paths.lastUsedFile, paths.messageHistoryFile, paths.earlierHistoryFile,
      paths.shortcutSessionsFile, paths.setupFile,
    ]
    for path in others { try JSONFile(path: path, in: files).checkReadable() }
    _ = try context.history.entries()
    // The check creates no folders.
    if files.missingFolders(for: paths.state).isEmpty {
      try JSONFile(path: paths.lastUsedFile, in: files).checkWritable()
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
