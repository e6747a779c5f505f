// SPDX-License-Identifier: MIT

import OppiModel
import OppiSystem

/// Plans an order: finds its targets, and completes it from the settings of each.
struct AskPlan {
  let order: AskOrder
  let settings: ConfigFile.Settings
  /// With the limits of the command line.
  let context: Context

  /// Returns the prompts, one for each target.
  ///
  /// - Throws: `OppiError` if a setting is invalid, before any server is queried, or if a target
  ///   cannot be found.
  func jobs() async throws -> [AskJob] {
    let general = WorkspaceSettings(settings: settings)
    let limited = try context.limited(by: general)
    _ = try completed(order.waiting, from: general)
    if case .session = order.place {} else { _ = try general.sessionDefaults(beside: order.prompt) }
    let targets = try await targets(in: limited)
    var jobs: [AskJob] = []
    for target in targets {
      jobs.append(try await job(for: target, isOnlyOne: targets.count == 1))
    }
    return jobs
  }

  // MARK: - Targets

  private func targets(in context: Context) async throws -> [AskRequest.Target] {
    switch order.place {
    case .workspace(let workspace): return [.newSession(workspace)]
    case .session(let name): return [.session(try await context.session(named: name))]
    case .workspaces(let names):
      let resolver = try context.workspaces()
      guard names.isEmpty else {
        return try await targets(names, from: .option("--workspace"), by: resolver)
      }
      guard let choice = try context.defaultWorkspace(settings) else {
        return [.newSession(try await resolver.resolve(nil))]
      }
      return try await targets([choice.name], from: choice.source, by: resolver)
    }
  }

  private func targets(
    _ names: [String],
    from source: ValueSource,
    by resolver: WorkspaceResolver
  ) async throws -> [AskRequest.Target] {
    do {
      return try await resolver.resolve(names).map { .newSession($0) }
    } catch {
      throw error.tracing(source)
    }
  }

  // MARK: - Jobs

  private func job(for target: AskRequest.Target, isOnlyOne: Bool) async throws -> AskJob {
    var own = WorkspaceSettings(settings: settings)
    var request = AskRequest(order.prompt, to: target, clientTurnID: context.loop.newID())
    (request.shortcut, request.after) = (order.shortcut, order.after)
    var workspace: ServerWorkspace?
    if case .newSession(let place) = target {
      workspace = place
      own = try await context.settings(settings, in: place)
      request.prompt.defaults = try own.sessionDefaults(beside: order.prompt)
      if let session = try conversation(in: place) { request.target = .session(session) }
    }
    request.budget = Budget(
      turn: order.maxCost,
      day: try own.value(of: .dayBudget),
      month: try own.value(of: .monthBudget)
    )
    let recorded = request
    if let schema = order.checks.schema {
      request.prompt.text += "\n\n\(schema.instruction)"
      try AskInput.check(request.prompt.text, request.prompt.images)
    }
    var job = AskJob(
      request: request,
      order: order,
      isOnlyOne: isOnlyOne,
      keepsHistory: settings.keepsHistory,
      workspace: workspace,
      context: try context.limited(by: own),
      recorded: recorded
    )
    job.order.waiting = try completed(order.waiting, from: own)
    if order.prompt.model == nil { job.order.modelSource = try own.source(of: .model) }
    return job
  }

  /// The session that continues the conversation; `nil` if there is none.
  private func conversation(in workspace: ServerWorkspace) throws(FileError) -> ServerSession? {
    guard let name = order.conversation, let place = workspace.reference,
      let id = try context.shortcutSessions.session(of: name, in: place)
    else { return nil }
    return ServerSession(
      server: workspace.server,
      id: id,
      workspaceID: workspace.workspace.id,
      workspaceName: workspace.workspace.name
    )
  }

  private func completed(
    _ waiting: AskOrder.Waiting,
    from settings: WorkspaceSettings
  ) throws -> AskOrder.Waiting {
    switch waiting {
    case .turn(let onAsk):
      return .turn(try onAsk ?? settings.value(of: .onAsk))
    case .shownTurn(let onAsk, let isPlain):
      return .shownTurn(try onAsk ?? settings.value(of: .onAsk), isPlain: isPlain)
    case .delivery, .outbox:
      // An invalid value is an error even if this ask does not need it.
      _ = try settings.value(of: .onAsk, as: OnAsk.self)
      return waiting
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
  /// The same context, with the time limit of the settings unless the command line has one.
  func limited(by settings: WorkspaceSettings) throws -> Context {
    var options = options
    if options.timeout == nil {
      options.timeout = try settings.value(of: .timeout, as: TimeLimit.self)?.duration
    }
    return with(options)
  }
}

/// An ask by the command line, a shortcut or a menu.
struct AskOrder: Sendable {
  enum Place: Sendable {
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
  var place: Place
  var waiting = Waiting.delivery
  /// What the command does when an awaited turn reaches a usage limit.
  var onLimit = OnLimit.fail
  /// The most that the turn may cost; `nil` for no limit.
  var maxCost: Dollars?
  var checks = AnswerChecks()
  /// Whether the session is ended after the last turn.
  var endsSession = false
  /// The id of the turn after which the prompt is sent, in a chain; `nil` for none.
  var after: String?
  /// The shortcut that sends the prompt; `nil` for none.
  var shortcut: String?
  /// Where the prompt's model was specified.
  var modelSource = ValueSource.option("--model")
  /// The shortcut whose conversation the prompt continues; `nil` for none.
  var conversation: String?
  /// Whether to only show what would be sent.
  var isDryRun = false
  /// Called after delivery.
  var hear: @Sendable (AskOutcome, PairedServer) -> Void = { _, _ in }

  init(_ prompt: Prompt, in place: Place) {
    self.prompt = prompt
    self.place = place
  }

  /// Whether the outbox stores the prompt, with its images.
  var isStored: Bool {
    if case .outbox = waiting { true } else { false }
  }

  /// Whether the turn is shown.
  var isShown: Bool {
    if case .shownTurn = waiting { true } else { false }
  }

  /// Whether to queue the prompt if it cannot be delivered.
  var isQueueing: Bool {
    if case .outbox(let terms) = waiting { terms.isKept } else { false }
  }
}

extension Ask.Options {
  func order(text: String, images: [ImageAttachment] = []) -> AskOrder {
    var prompt = Prompt(text)
    prompt.images = images
    prompt.model = model
    prompt.thinking = thinking
    prompt.title = name
    var order = AskOrder(prompt, in: session.map { .session($0) } ?? .workspaces(workspaces))
    order.waiting = waiting
    order.onLimit = onLimit
    order.maxCost = maxCost
    order.checks.command = verify
    order.checks.commandRetries = verifyRetries?.number ?? 0
    order.isDryRun = isDryRun
    return order
  }

  private var waiting: AskOrder.Waiting {
    if isFollowing { return .shownTurn(onAsk, isPlain: isPlain) }
    if isQueueing || key != nil {
      return .outbox(
        QueuePrompt.Terms(isKept: isQueueing, key: key, expiry: expiry, endsSession: false)
      )
    }
    return isWaiting ? .turn(onAsk) : .delivery
  }
}
