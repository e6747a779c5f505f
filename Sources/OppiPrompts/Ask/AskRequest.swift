// SPDX-License-Identifier: MIT

import EventLoop
package import OppiClient
package import OppiModel
package import OppiTurns
import OppiWire

/// A prompt and its target.
package struct AskRequest: Sendable {
  /// Where a prompt goes: to a session, or to a workspace for a new one.
  package struct Target: Sendable {
    var server: PairedServer
    /// The target as the outbox stores it.
    var stored: QueuedPrompt.Target
    /// A session that was created for this prompt earlier, and is still empty.
    var emptySessionID: String?
    /// The model of new sessions of the workspace, if the server has reported it.
    var defaultModel: String?

    private init(_ server: PairedServer, workspace: (id: String?, name: String?)) {
      self.server = server
      stored = QueuedPrompt.Target(on: server.id, named: server.name)
      (stored.workspaceID, stored.workspaceName) = workspace
    }

    /// The target of a prompt of the outbox.
    init(of prompt: QueuedPrompt, on server: PairedServer) {
      (self.server, stored) = (server, prompt.target)
      // A launch is looked up by its key, also if its session is known.
      if case .launched = prompt.state { return }
      emptySessionID = prompt.target.sessionID == nil ? prompt.sessionID : nil
    }

    package static func newSession(_ target: ServerWorkspace) -> Target {
      var new = Target(target.server, workspace: (target.workspace.id, target.workspace.name))
      new.defaultModel = target.workspace.defaultModel
      return new
    }

    static func emptySession(_ session: ServerSession) -> Target {
      var target = Target(session.server, workspace: (session.workspaceID, session.workspaceName))
      target.emptySessionID = session.id
      return target
    }

    package static func session(_ session: ServerSession) -> Target {
      var target = Target(session.server, workspace: (session.workspaceID, session.workspaceName))
      target.stored.sessionID = session.id
      return target
    }

    /// Whether the session has no conversation yet.
    var isNewSession: Bool { stored.sessionID == nil }

    /// The session, if it exists.
    var knownSession: ServerSession? {
      (stored.sessionID ?? emptySessionID).map { id in
        ServerSession(
          server: server,
          id: id,
          workspaceID: stored.workspaceID,
          workspaceName: stored.workspaceName
        )
      }
    }

    /// The workspace, as far as it is known without querying the server.
    var workspace: ServerWorkspace {
      let id = stored.workspaceID ?? ""
      let workspace = Workspace(id: id, name: stored.workspaceName ?? id)
      return ServerWorkspace(server: server, workspace: workspace)
    }

    /// `server/workspace`, or `server/session` for a session.
    var name: String {
      server.qualified(knownSession?.id ?? stored.workspaceName ?? stored.workspaceID ?? "")
    }
  }

  var target: Target
  var prompt: Prompt

  /// A `nil` `clientTurnID` keeps the prompt's own.
  package init(_ prompt: Prompt, to target: Target, clientTurnID: String? = nil) {
    (self.target, self.prompt) = (target, prompt)
    if let clientTurnID { self.prompt.clientTurnID = clientTurnID }
  }
}

extension AskRequest {
  /// The model for the new session; `nil` for the workspace's default.
  var newModel: String? { prompt.model(forNewSession: target.isNewSession) }

  /// The thinking level to set; `nil` keeps the session's level.
  var level: ThinkingLevel? { prompt.level(forNewSession: target.isNewSession) }
}

/// The parts that deliveries from commands and from the outbox share.
extension Services {
  /// Delivers one prompt, and returns the watch on its turn, not yet started, if the turn is awaited.
  ///
  /// A `nil` `onAsk` means that the turn is not awaited; the context's timeout includes the turn.
  package func deliver(
    _ request: AskRequest,
    awaiting onAsk: OnAsk? = nil
  ) async throws(AskFailure) -> (outcome: AskOutcome, watch: TurnWatch?) {
    let begin = loop.now
    let api: IntentAPIClient
    let costLimit: Dollars?
    do throws(OppiError) {
      api = try await connections.client(for: request.target.server)
      costLimit = try await self.costLimit(for: request)
    } catch {
      throw AskFailure(notSent: request, because: error)
    }
    var run = DeliveryRun(
      of: request,
      over: api,
      models: modelCatalog,
      limits: askLimits(waitsForTurn: onAsk != nil),
      waitingForTurn: onAsk != nil
    )
    run.notice = StartNotice(of: request.target.server, in: self)
    let delivery = try await run.perform()
    guard let stream = delivery.stream else { return (delivery.outcome, nil) }
    var watch = TurnWatch(
      session: delivery.outcome.session(on: request.target.server),
      api: api,
      turnOf: delivery.outcome,
      prompt: request.prompt.text,
      isNewSession: request.target.isNewSession,
      adopting: stream
    )
    watch.deadline = timeout.map { begin + $0 }
    watch.onAsk = onAsk ?? .wait
    watch.costLimit = costLimit
    return (delivery.outcome, watch)
  }

  /// The time limits of a delivery.
  ///
  /// With `waitsForTurn` a slow start is part of the wait, which only the user's timeout limits. That
  /// timeout also ends the looks for a prompt that may have arrived.
  func askLimits(waitsForTurn: Bool = false) -> PromptDelivery.Limits {
    var limits = PromptDelivery.Limits()
    if waitsForTurn { limits.total = nil }
    if let timeout {
      (limits.total, limits.launch, limits.secondLook) = (timeout, .zero, .zero)
      limits.connect = min(limits.connect, timeout)
    }
    return limits
  }

  /// Stores what the delivery showed about the server: its dialect, and whether it replaced the
  /// model.
  func learn(from outcome: AskOutcome, of request: AskRequest) async {
    let server = request.target.server
    modelCatalog.forget(server, ifItReplaced: request.newModel, with: outcome.location.model)
    var learned = server
    learned.learn(outcome.stream)
    guard server.dialect != learned.dialect else { return }
    // On failure, the next delivery detects it again.
    await serverStore.remember(learned.dialect, of: server.id)
  }
}
