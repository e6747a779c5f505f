// SPDX-License-Identifier: MIT

import OppiIntents
import OppiModel
import OppiSystem

/// What one command line asks of all its targets, each of which may have settings of its own.
struct AskPlan {
  /// As the command line has them.
  let options: Ask.Options
  let settings: ConfigFile.Settings
  let message: Ask.Message
  /// With the limits of the command line.
  let context: Context

  /// The prompts, one for each target.
  func jobs(for targets: [AskRequest.Target]) async throws -> [AskJob] {
    var jobs: [AskJob] = []
    for target in targets {
      let own = try await settings(for: target)
      let defaults = try target.isNewSession ? own.sessionDefaults(beside: options) : nil
      jobs.append(
        try job(for: try joined(target), own, defaults ?? .init(), isOnlyOne: targets.count == 1)
      )
    }
    return jobs
  }

  /// A workspace's own settings are for its new sessions.
  private func settings(for target: AskRequest.Target) async throws -> WorkspaceSettings {
    switch target {
    case .newSession(let workspace): try await context.settings(settings, in: workspace)
    case .emptySession, .session: WorkspaceSettings(settings: settings)
    }
  }

  /// The session in which the conversation goes on, where there is one.
  private func joined(_ target: AskRequest.Target) throws(FileError) -> AskRequest.Target {
    guard let conversation = options.conversation, case .newSession(let workspace) = target,
      let place = workspace.reference,
      let id = try context.shortcutSessions.session(of: conversation, in: place)
    else { return target }
    return .session(
      ServerSession(
        server: workspace.server,
        id: id,
        workspaceID: workspace.workspace.id,
        workspaceName: workspace.workspace.name
      )
    )
  }

  private func job(
    for target: AskRequest.Target,
    _ settings: WorkspaceSettings,
    _ defaults: SessionDefaults,
    isOnlyOne: Bool
  ) throws -> AskJob {
    let completed = try options.completed(from: settings)
    return AskJob(
      request: AskRequest(
        target: target,
        prompt: message.prompt,
        images: message.images,
        model: completed.model,
        thinking: completed.thinking,
        defaults: defaults,
        name: completed.name,
        clientTurnID: context.loop.newID()
      ),
      conversation: options.conversation,
      modelSource: try options.model == nil ? settings.source(of: .model) : options.modelSource,
      waiting: completed.waiting,
      isOnlyOne: isOnlyOne,
      keepsHistory: self.settings.keepsHistory,
      hear: message.hear,
      context: try context.limited(by: settings)
    )
  }
}

extension Ask.Options {
  fileprivate var waiting: AskJob.Waiting {
    let onAsk = onAsk ?? .wait
    if isFollowing { return .shownTurn(onAsk, isPlain: isPlain) }
    if isQueueing || key != nil || endsSession {
      return .outbox(
        QueuedAsk.Terms(
          isKept: isQueueing,
          key: key,
          expiry: expiry,
          conversation: conversation,
          endsSession: endsSession
        )
      )
    }
    return isWaiting ? .turn(onAsk) : .delivery
  }
}
