// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiTransport

/// Performs the actions of a ``SessionLaunch`` over the REST interface.
struct LaunchRun {
  private let new: NewSession
  private let request: AskRequest
  private let api: IntentAPIClient
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

  init(
    _ new: NewSession,
    of request: AskRequest,
    over api: IntentAPIClient,
    limits: AskLimits,
    since begin: EventLoop.Instant,
    journal: (any DeliveryJournal)?,
    isRepeat: Bool
  ) {
    self.new = new
    self.request = request
    self.api = api
    connectLimit = limits.connect
    self.begin = begin
    self.journal = journal
    launch = SessionLaunch(limits: limits.delivery, isRepeat: isRepeat)
    connection = api.connection()
  }

  mutating func perform() async throws(AskFailure) -> AskOutcome {
    guard await noteLaunch() else { throw failure(.notSent) }
    await makeRequest()
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

  /// Records that the request is made now; false if it must not be made.
  private mutating func noteLaunch() async -> Bool {
    guard let journal else { return true }
    do {
      try await journal.launches()
      return true
    } catch {
      cause = .file(error)
      return false
    }
  }

  // MARK: - Actions

  private mutating func perform(_ action: SessionLaunch.Action) async {
    switch action {
    case .request: await makeRequest()
    case .check: await check()
    case .delete:
      await delete()
      events.append(.deleted)
    case .settle: break
    }
  }

  private mutating func makeRequest() async {
    do throws(TransportError) {
      try await connection.open(until: limit(connectLimit))
    } catch {
      return lose(.transport(error, server: api.serverName), mayHaveArrived: false)
    }
    do throws(IntentError) {
      let deadline = begin + launch.wakeAt
      let answer = try await api.launch(
        new,
        prompt: request.prompt.text,
        over: connection,
        until: deadline
      )
      take(answer)
    } catch .refused(let status, let message, let server) where status >= 500 {
      let error = IntentError.refused(status: status, message: message, server: server)
      cause = error
      events.append(error.sessionLimit.map { .full($0) } ?? .failed)
    } catch  where error.mayHaveArrived {
      lose(error, mayHaveArrived: true)
    } catch  where error.isPassing {
      lose(error, mayHaveArrived: false)
    } catch {
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
      let isEmpty = session.messageCount == 0
      events.append(
        isPrompted ? .delivered : .undelivered(reason ?? "no reason given", isEmpty: isEmpty)
      )
    case .inProgress: events.append(.inProgress)
    case .cannotStart(let reason, let sessionID):
      self.sessionID = sessionID
      events.append(.undelivered(reason, isEmpty: sessionID != nil))
    }
  }

  /// Queries whether the server still recognises repeated requests.
  ///
  /// What answers instead of the server, such as a portal of a network, says nothing about it.
  private mutating func check() async {
    do throws(IntentError) {
      let info = try await api.info(over: connection, until: limit(connectLimit))
      let isIdempotent = info?.capabilities?.contains(.controlSessions) == true
      events.append(.checked(isIdempotent: isIdempotent))
    } catch {
      cause = error
      connection = api.connection()
      events.append(error.isPassing ? .checked(isIdempotent: nil) : .refused)
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
