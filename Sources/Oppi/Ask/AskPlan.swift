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
      throw OppiError(error).tracing(source)
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
