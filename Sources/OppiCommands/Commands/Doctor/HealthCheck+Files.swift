// SPDX-License-Identifier: MIT

import OppiIntents
import OppiModel
import OppiSystem

extension HealthCheck {
  /// Where the program is.
  static let program = HealthCheck(
    name: "program",
    summary: "this program, and whether its name leads to it"
  ) { subject in
    let context = subject.context
    let (name, path) = (context.programName, context.programPath())
    let here = Finding.ok("\(path), version \(Oppi.version)")
    guard !context.programs.has(name) else { return [here] }
    let place = subject.trigger?.place ?? "here"
    let missing = "'\(name)' alone is not found \(place)"
    return [here, .note(missing, hints: ["call it by its path: \(path)"])]
  }

  /// What the program keeps.
  static let files = HealthCheck(
    name: "files",
    summary: "settings and state: whole, and for nobody else to change"
  ) { subject in
    let context = subject.context
    var findings: [Finding] = []
    for look in [settings, state] {
      do {
        try look(context)
      } catch {
        findings.append(.fault(error))
      }
    }
    guard findings.isEmpty else { return findings }
    return [.ok("\(context.paths.config) and \(context.paths.state) are in order")]
  }

  private static func settings(of context: Context) throws {
    let settings = try context.config.load()
    for key in ConfigKey.all { _ = try settings.text(of: key) }
    _ = try settings.directories(home: context.workingDirectory().home)
    _ = try settings.workspacesWithSettings()
    _ = try context.serverStore.load()
  }

  private static func state(of context: Context) throws {
    let (paths, files) = (context.paths, context.files)
    try JSONFile(path: paths.credentialsFile, in: files, privacy: .secret).checkReadable()
    let others = [
      paths.lastUsedFile, paths.messageHistoryFile, paths.earlierHistoryFile,
      paths.shortcutSessionsFile,
      paths.setupFile,
    ]
    for path in others { try JSONFile(path: path, in: files).checkReadable() }
    _ = try context.history.entries()
    // Nothing is made where nothing is.
    if files.missingFolders(for: paths.state).isEmpty {
      try JSONFile(path: paths.lastUsedFile, in: files).checkWritable()
    }
  }

  /// The user's shortcuts, and the workspaces that they name.
  static let shortcuts = HealthCheck(
    name: "shortcuts",
    summary: "shortcuts: whole, with workspaces that are there"
  ) { subject in
    let context = subject.context
    var findings: [Finding] = []
    var (count, unknown) = (0, 0)
    do {
      let resolver = try context.workspaces()
      for name in try context.shortcuts.all() {
        count += 1
        do {
          let shortcut = try context.shortcuts.shortcut(name)
          if let word = shortcut.workspace { _ = try await resolver.resolve(word) }
        } catch {
          var finding = Finding.fault(error)
          // A server that does not answer is told of once, by its own check.
          if let code = finding.code, silences.contains(code) {
            unknown += 1
          } else {
            finding.message = "\(name.text): \(finding.message)"
            findings.append(finding)
          }
        }
      }
    } catch {
      return [.fault(error)]
    }
    let words = count == 1 ? "1 shortcut" : "\(count) shortcuts"
    if unknown > 0 {
      findings.append(.note("\(words), of which \(unknown) could not be checked against a server"))
    } else if count > 0, findings.isEmpty {
      findings.append(.ok(words))
    }
    return findings
  }

  /// The codes by which it cannot be said what a server has.
  private static let silences: Set<OppiError.Code> = [
    .serverUnreachable, .serverError, .timedOut, .tooManyRequests, .notPaired, .noToken,
    .unauthorized, .pinMismatch, .certificateRejected, .tlsUnavailable,
  ]

  /// What waits for its delivery.
  static let outbox = HealthCheck(
    name: "outbox",
    summary: "prompts that wait, and whether anything delivers them"
  ) { subject in
    let context = subject.context
    var counts: [String: Int] = [:]
    var findings: [Finding] = []
    do {
      for key in try context.outbox.keys() {
        do {
          if var prompt = try context.outbox.load(key), prompt.isQueued {
            prompt.expire(at: context.now())
            counts[prompt.stateWord, default: 0] += 1
          }
        } catch {
          findings.append(.fault(error))
        }
      }
    } catch {
      return [.fault(error)]
    }
    let waiting = [QueuedPrompt.waitingWord, "checking"].compactMap { counts[$0] }.reduce(0, +)
    if waiting > 0 {
      let words = waiting == 1 ? "1 prompt waits" : "\(waiting) prompts wait"
      findings.append(delivery(of: words, subject))
    }
    for (state, meaning) in [("unknown", "may have run"), ("failed", "did not run")] {
      guard let count = counts[state] else { continue }
      let words =
        "\(count == 1 ? "1 prompt" : "\(count) prompts") \(meaning), and nobody has looked"
      findings.append(.warning(words, hints: ["see with: oppi outbox list --all"]))
    }
    return findings.isEmpty ? [.ok("nothing waits")] : findings
  }

  private static func delivery(of words: String, _ subject: Subject) -> Finding {
    // Without the login's variables it is not to be seen who else runs.
    if subject.trigger != nil { return .ok(words) }
    do {
      if let deliverer = try deliverer(in: subject.context) {
        return .ok("\(words), and \(deliverer) delivers")
      }
    } catch {
      return .fault(error)
    }
    return .warning(
      "\(words), and nothing delivers",
      hints: ["deliver by hand: oppi outbox flush", "have it done: oppi setup, or oppi watch"]
    )
  }

  private static func deliverer(in context: Context) throws -> String? {
    if case .running = try watchState(in: context) { return "oppi watch" }
    let program = SetupProgram(name: context.programName, path: context.programPath())
    let manager = context.userManager
    let unit = program.enabledUnits.first { manager.isEnabled($0) }
    return manager.isThere ? unit?.name : nil
  }

  /// Whether `oppi watch` runs and keeps its snapshot, as whoever reads that takes it.
  static func watchState(in context: Context) throws -> WatchState {
    guard try context.files.isLocked(context.paths.watchFile) else { return .absent }
    guard let snapshot = context.statusFile.load() else { return .starting }
    return snapshot.isKept(at: context.now()) ? .running : .stuck(since: snapshot.at)
  }

  /// What is to be seen of `oppi watch`.
  enum WatchState: Sendable {
    case running
    /// It runs and has not written anything yet.
    case starting
    /// It runs and has written nothing lately.
    case stuck(since: Timestamp)
    case absent
  }
}
