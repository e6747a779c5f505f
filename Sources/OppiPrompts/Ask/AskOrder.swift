// SPDX-License-Identifier: MIT

import EventLoop
package import OppiClient
package import OppiModel
import OppiSystem
import OppiTurns
import OppiWire

/// An ask by the command line, a shortcut or a menu.
package struct AskOrder: Sendable {
  package enum Target: Sendable {
    /// Workspaces by name; if empty, the one from the environment or the settings.
    case workspaces([String])
    case session(SessionName)
    case workspace(ServerWorkspace)
  }

  /// What the command waits for.
  enum Waiting: Sendable {
    /// Until the server has the prompt.
    case delivery
    /// Until the turn ends; `nil` uses the setting `on-ask`.
    case turn(OnAsk?)
    /// Until the turn ends, with a live view.
    case shownTurn(OnAsk?, isPlain: Bool)
    /// Until the server or the outbox has the prompt.
    case outbox(QueuePrompt.Terms)
  }

  var prompt: Prompt
  var target: Target
  var waiting = Waiting.delivery
  /// What the command does when an awaited turn reaches a usage limit.
  var onLimit = OnLimit.fail
  var checks = AnswerChecks()
  /// Whether the session is ended after the last turn.
  var endsSession = false
  /// Where the prompt's model was specified.
  var modelSource = ValueSource.option("--model")
  /// Whether to only show what would be sent.
  var isDryRun = false
  /// Called after delivery.
  var onDelivered: @Sendable (AskOutcome, PairedServer) -> Void = { _, _ in }

  package init(_ prompt: Prompt, in target: Target) {
    self.prompt = prompt
    self.target = target
  }

  /// How the outbox delivers the prompt, which it stores with its images; `nil` without the outbox.
  var terms: QueuePrompt.Terms? {
    if case .outbox(let terms) = waiting { terms } else { nil }
  }
}

extension Ask.Options {
  var order: AskOrder {
    var order = AskOrder(prompt, in: session.map { .session($0) } ?? .workspaces(workspaces))
    order.waiting = waiting
    order.onLimit = onLimit
    order.checks.command = verify
    order.checks.commandRetries = verifyRetries?.number ?? 0
    order.isDryRun = isDryRun
    return order
  }

  private var waiting: AskOrder.Waiting {
    if isFollowing { return .shownTurn(onAsk, isPlain: isPlain) }
    if isQueueing || key != nil {
      return .outbox(QueuePrompt.Terms(isKept: isQueueing, key: key, expiry: expiry))
    }
    return isWaiting ? .turn(onAsk) : .delivery
  }
}

// MARK: - Its jobs

extension AskOrder {
  /// Finds the targets, and completes the order for each from its settings.
  ///
  /// - Throws: `OppiError` if a setting is invalid, before any server is queried, or if a target
  ///   cannot be found.
  func jobs(by settings: ConfigFile.Settings, in context: Context) async throws -> [AskJob] {
    var prompt = prompt
    if let schema = checks.schema { prompt.text += "\n\n\(schema.instruction)" }
    try prompt.check(withImages: terms != nil)
    let general = WorkspaceSettings(settings: settings)
    let limited = try context.limited(by: general)
    _ = try onAsk(by: general)
    if case .session = target {} else { _ = try general.sessionDefaults(beside: prompt) }
    let targets: [AskRequest.Target]
    do {
      targets = try await self.targets(by: settings, in: limited)
    } catch {
      throw notQueued(error)
    }
    if targets.contains(where: { !$0.server.uploads(prompt) }) {
      try prompt.check(withImages: true)
    }
    var jobs: [AskJob] = []
    for target in targets {
      var job = try await job(prompt, for: target, by: settings, in: context)
      job.isOnlyOne = targets.count == 1
      jobs.append(job)
    }
    return jobs
  }

  // MARK: - Targets

  private func targets(
    by settings: ConfigFile.Settings,
    in context: Context
  ) async throws -> [AskRequest.Target] {
    var (names, source): ([String], ValueSource)
    switch target {
    case .workspace(let workspace): return [.newSession(workspace)]
    case .session(let name):
      let session = try await context.sessions().resolve(name.text, evenIfAway: isQueueing)
      return [.session(session)]
    case .workspaces(let given): (names, source) = (given, .option("--workspace"))
    }
    let resolver = try context.workspaces()
    if names.isEmpty {
      guard let choice = try context.defaultWorkspace(settings) else {
        return [.newSession(try await resolver.resolve(nil))]
      }
      (names, source) = ([choice.name], choice.source)
    }
    do {
      return try await resolver.resolve(names).map { .newSession($0) }
    } catch {
      throw error.tracing(source)
    }
  }

  /// Whether a prompt that cannot be delivered now is queued.
  private var isQueueing: Bool { terms?.isKept == true }

  /// The error of targets that cannot be found; if that may change, it says that the prompt was not
  /// queued for them.
  private func notQueued(_ error: any Error) -> any Error {
    guard isQueueing, var found = error as? OppiError,
      [.unavailable, .tryAgain].contains(found.code.status)
    else { return error }
    var hint = "the prompt was not queued"
    if case .session = target { hint += "; name its session as SERVER/ID with the full id" }
    found.hints.append(hint)
    return found
  }

  // MARK: - Jobs

  private func job(
    _ prompt: Prompt,
    for target: AskRequest.Target,
    by settings: ConfigFile.Settings,
    in context: Context
  ) async throws -> AskJob {
    var own = WorkspaceSettings(settings: settings)
    var request = AskRequest(prompt, to: target, clientTurnID: context.loop.newID())
    var workspace: ServerWorkspace?
    if target.knownSession == nil {
      let place = target.workspace
      workspace = place
      own = try await context.settings(settings, in: place)
      request.prompt.defaults = try own.sessionDefaults(beside: prompt)
      if let session = try context.session(continuing: prompt.conversation, in: place) {
        request.target = .session(session)
      }
    }
    try request.prompt.budget.take(own)
    let limited = try context.limited(by: own)
    var order = self
    if prompt.model == nil { order.modelSource = try own.source(of: .model) }
    return AskJob(
      request: request,
      record: AskRecord(
        request: request,
        text: self.prompt.text,
        keepsHistory: settings.keepsHistory,
        context: limited.services
      ),
      order: order,
      onAsk: try onAsk(by: own),
      workspace: workspace,
      context: limited,
      begin: context.loop.now
    )
  }

  /// What to do when the turn needs input; `nil` if the turn is not awaited.
  private func onAsk(by settings: WorkspaceSettings) throws -> OnAsk? {
    switch waiting {
    case .turn(let onAsk), .shownTurn(let onAsk, _):
      return try onAsk ?? settings.valueInEffect(of: .onAsk)
    case .delivery, .outbox:
      // An invalid value is an error even if this ask does not need it.
      _ = try settings.value(of: .onAsk, as: OnAsk.self)
      return nil
    }
  }
}

extension Prompt {
  /// The size of the longest message that servers accept, in bytes.
  package static let messageLimit = 16 << 20

  /// - Throws: If the servers would not accept its message.
  package func check(withImages: Bool) throws(OppiError) {
    // The last kilobyte is for the ids.
    guard messageSize(withImages: withImages) <= Self.messageLimit - 1024 else {
      throw OppiError(.badInput, "the prompt with its images is larger than 16 MiB")
    }
  }
}

extension WorkspaceSettings {
  /// The defaults of a new session; an existing session keeps its model and level.
  fileprivate func sessionDefaults(beside prompt: Prompt) throws -> SessionDefaults {
    SessionDefaults(
      model: try prompt.model == nil ? value(of: .model) : nil,
      thinking: try prompt.thinking == nil ? value(of: .thinking) : nil
    )
  }
}

extension Context {
  /// The session that continues a conversation; `nil` if there is none.
  fileprivate func session(
    continuing conversation: String?,
    in workspace: ServerWorkspace
  ) throws(FileError) -> ServerSession? {
    guard let conversation, let place = workspace.reference,
      let id = try services.shortcutSessions.session(of: conversation, in: place)
    else { return nil }
    return workspace.session(id)
  }

  /// The same context, with the time limit of the settings unless the command line has one.
  func limited(by settings: WorkspaceSettings) throws -> Context {
    var options = options
    if options.timeout == nil {
      options.timeout = try settings.value(of: .timeout, as: TimeLimit.self)?.duration
    }
    return with(options)
  }
}
