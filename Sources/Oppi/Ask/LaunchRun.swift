// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiTransport

/// Performs the actions of a ``SessionLaunch`` over the REST interface.
struct LaunchRun {
  private var new: NewSession
  private let request: AskRequest
  private let api: IntentAPIClient
  private let models: ModelCatalog
  private let connectLimit: Duration
  private let begin: EventLoop.Instant
  private let journal: (any DeliveryJournal)?
  private var launch: SessionLaunch
  private var connection: HTTPConnection
  /// The session, as soon as the server has named it.
  private var session: Session?
  private var sessionID: String?
  private var isSessionDeleted = false
  private var cause: IntentError?
  private var events: [SessionLaunch.Event] = []

  /// Prepares a launch in a workspace; it begins as `launch` says.
  init(
    _ launch: SessionLaunch,
    of request: AskRequest,
    in workspace: Workspace,
    over pi: AskPi,
    since begin: EventLoop.Instant
  ) {
    self.launch = launch
    self.request = request
    (api, models, journal) = (pi.api, pi.models, pi.journal)
    connectLimit = pi.limits.connect
    self.begin = begin
    new = NewSession(
      workspaceID: workspace.id,
      name: request.lastingTitle ?? request.prompt.title,
      model: nil
    )
    new.thinking = request.level
    new.key = request.clientTurnID
    connection = pi.api.connection()
  }

  mutating func perform() async throws(AskFailure) -> AskOutcome {
    await perform(launch.state == .requesting ? .request : .look)
    while launch.verdict == nil {
      let event = events.isEmpty ? await woken() : events.removeFirst()
      for action in launch.handle(event, at: now) { await perform(action) }
    }
    guard case .delivered(let progress)? = launch.verdict, let session else {
      throw failure(failedDelivery)
    }
    return AskOutcome(
      state: progress,
      sessionID: session.id,
      workspaceID: session.workspaceID ?? new.workspaceID,
      workspaceName: session.workspaceName ?? request.target.workspace.name,
      clientTurnID: request.clientTurnID,
      model: session.model,
      thinking: session.thinkingLevel,
      isPi: session.isPi,
      stream: .session
    )
  }

  private var now: SessionLaunch.Moment { begin.duration(to: api.loop.now) }

  private func woken() async -> SessionLaunch.Event {
    do {
      try await api.loop.sleep(until: begin + launch.wakeAt)
      return .woke
    } catch {
      // A cancelled ask ends without another step.
      return .refused
    }
  }

  // MARK: - Actions

  private mutating func perform(_ action: SessionLaunch.Action) async {
    switch action {
    case .request:
      if await prepare() { await makeRequest() }
    case .look: await look()
    case .delete:
      await delete()
      events.append(.deleted)
    case .settle: break
    }
  }

  /// Does everything that is needed before the request, and records that it is made now; false if it
  /// cannot be made.
  ///
  /// A token is requested before the record, because nothing of the prompt is sent until then.
  private mutating func prepare() async -> Bool {
    do throws(IntentError) {
      if let id = request.newModel, new.model == nil {
        let server = request.target.server
        new.model = try await models.model(id, of: server, over: api, until: limit(connectLimit))
      }
      try await api.prepare(connection, until: limit(connectLimit))
    } catch {
      fail(error, mayHaveArrived: false)
      return false
    }
    do {
      try await journal?.launches()
      return true
    } catch {
      cause = .file(error)
      events.append(.refused)
      return false
    }
  }

  private mutating func makeRequest() async {
    do throws(IntentError) {
      let deadline = begin + launch.wakeAt
      let answer = try await api.launch(
        new,
        prompt: request.prompt.text,
        over: connection,
        until: deadline
      )
      take(answer)
    } catch  where (error.refusedStatus ?? 0) >= 500 {
      cause = error
      events.append(error.sessionLimit.map { .full($0) } ?? .failed)
    } catch {
      fail(error, mayHaveArrived: error.mayHaveArrived)
    }
  }

  private mutating func fail(_ error: IntentError, mayHaveArrived: Bool) {
    if mayHaveArrived || error.isPassing {
      lose(error, mayHaveArrived: mayHaveArrived)
    } else {
      cause = error
      events.append(.refused)
    }
  }

  private mutating func lose(_ error: IntentError, mayHaveArrived: Bool) {
    cause = error
    connection = api.connection()
    events.append(
      error.isCancellation && !mayHaveArrived
        ? .refused : .lost(mayHaveArrived: mayHaveArrived, isSilent: error.isTimeout)
    )
  }

  private mutating func take(_ answer: LaunchAnswer) {
    switch answer {
    case .session(let session, let isPrompted, let reason):
      self.session = session
      sessionID = session.id
      events.append(isPrompted ? .delivered : .undelivered(reason, isEmpty: session.isEmpty))
    case .inProgress: events.append(.inProgress)
    case .cannotStart(let reason, let sessionID):
      self.sessionID = sessionID
      events.append(.undelivered(reason, isEmpty: sessionID != nil))
    }
  }

  /// Looks for the session of the key.
  ///
  /// What answers instead of the server, such as a portal of a network, says nothing about it.
  private mutating func look() async {
    do throws(IntentError) {
      let deadline = limit(connectLimit)
      let found = try await api.check(ofLaunch: new, over: connection, until: deadline)
      session = found.session ?? session
      sessionID = session?.id ?? sessionID
      events.append(.looked(found.check))
    } catch {
      cause = error
      connection = api.connection()
      events.append(error.isPassing ? .looked(nil) : .refused)
    }
  }

  private mutating func delete() async {
    guard let sessionID else { return }
    do {
      try await api.deleteSession(
        sessionID,
        workspaceID: new.workspaceID,
        until: begin + launch.wakeAt
      )
      isSessionDeleted = true
    } catch {
      // The empty session stays; the error names it.
    }
  }

  /// The end of one step, within the limit of the launch.
  private func limit(_ duration: Duration) -> EventLoop.Instant {
    min(begin + launch.wakeAt, api.loop.now + duration)
  }

  // MARK: - Failures

  private var failedDelivery: AskFailure.Delivery {
    switch launch.verdict {
    case .refused(let refusal)?: .refused(refusal)
    case .unknown(let doubt)?: .unknown(doubt)
    case .notSent?, .delivered?, nil: .notSent
    }
  }

  private func failure(_ delivery: AskFailure.Delivery) -> AskFailure {
    AskFailure(
      delivery: delivery,
      cause: cause,
      sessionID: isSessionDeleted ? nil : sessionID,
      server: api.serverName,
      clientTurnID: request.clientTurnID
    )
  }
}
