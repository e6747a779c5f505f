// SPDX-License-Identifier: MIT

import EventLoop
import OppiClient
import OppiModel
import OppiTurns
import OppiWire

/// The session that is created for a prompt: in one request with it, on servers that recognise a
/// repeated request, or before it.
extension DeliveryRun {
  // MARK: - With the prompt

  /// Creates the session with the prompt, or determines the result of an earlier request for it.
  mutating func launch(
    _ launch: SessionLaunch,
    in target: ServerWorkspace
  ) async throws(AskFailure) -> AskDelivery {
    var launch = launch
    while true {
      let event: SessionLaunch.Event
      switch launch.state {
      case .requesting: event = await makeRequest(launch, in: target)
      case .looking: event = await look(for: launch, in: target)
      case .pausing:
        let isOver = (try? await api.loop.sleep(until: begin + launch.wakeAt)) != nil
        // A cancelled ask ends without another step.
        event = isOver ? .woke : .refused
      case .deleting:
        await delete(until: begin + launch.wakeAt)
        event = .deleted
      case .settled(let verdict):
        guard case .delivered(let progress) = verdict, let session else { throw failure(verdict) }
        let outcome = AskOutcome(
          state: progress,
          sessionID: session.id,
          clientTurnID: request.prompt.clientTurnID,
          location: location,
          stream: .session
        )
        return (outcome, nil)
      }
      if event == .inProgress { await notice?.report() }
      launch.handle(event, at: now)
    }
  }

  /// Makes the request, and records that just before.
  private mutating func makeRequest(
    _ launch: SessionLaunch,
    in target: ServerWorkspace
  ) async -> SessionLaunch.Event {
    do throws(OppiError) {
      try await findModel(of: target.server, over: api.until(stepEnd(by: launch.wakeAt)))
      // A token is requested before the record, because nothing of the prompt is sent until then.
      try await calls.until(stepEnd(by: launch.wakeAt)).prepare()
    } catch {
      return failed(error, mayHaveArrived: false)
    }
    do {
      try journal?.launches()
    } catch {
      cause = .file(error)
      return .refused
    }
    let waiting = notice?.wait()
    defer { waiting?.cancel() }
    do throws(OppiError) {
      let answer = try await calls.until(begin + launch.wakeAt)
        .launch(newSession(in: target), prompt: request.prompt.text)
      if let described = answer.session {
        take(described, in: target)
      } else if let id = answer.sessionID {
        session = target.session(id)
      }
      return answer.event
    } catch  where (error.refusedStatus ?? 0) >= 500 {
      cause = error
      return error.sessionLimit.map { .full($0) } ?? .failed
    } catch {
      return failed(error, mayHaveArrived: error.mayHaveArrived)
    }
  }

  private mutating func failed(
    _ error: OppiError,
    mayHaveArrived: Bool
  ) -> SessionLaunch.Event {
    note(error)
    guard mayHaveArrived || error.isPassing else { return .refused }
    calls = api.until(begin).overOneConnection()
    return error.isCancellation && !mayHaveArrived
      ? .refused : .lost(mayHaveArrived: mayHaveArrived, isSilent: error.isTimeout)
  }

  /// Looks for the session of the key.
  ///
  /// What answers instead of the server, such as a portal of a network, says nothing about it.
  private mutating func look(
    for launch: SessionLaunch,
    in target: ServerWorkspace
  ) async -> SessionLaunch.Event {
    do throws(OppiError) {
      let found = try await calls.until(stepEnd(by: launch.wakeAt))
        .check(ofLaunch: newSession(in: target))
      if let session = found.session { take(session, in: target) }
      return .looked(found.check)
    } catch {
      note(error)
      calls = api.until(begin).overOneConnection()
      return error.isPassing ? .looked(nil) : .refused
    }
  }

  /// Records a failure; the end of the time says less than what the server answered before it.
  private mutating func note(_ error: OppiError) {
    if !error.isTimeout || cause?.refusedStatus == nil { cause = error }
  }

  func newSession(in target: ServerWorkspace) -> NewSession {
    NewSession(
      workspaceID: target.workspace.id,
      name: request.prompt.lastingTitle ?? request.prompt.title,
      model: model,
      thinking: request.level,
      key: request.prompt.clientTurnID
    )
  }

  // MARK: - Before the prompt

  /// A stream that was opened while the session was created; `nil` if the server only has a stream
  /// per session.
  typealias EarlyStream = Result<IntentWebSocket?, OppiError>

  /// Creates the session without a prompt, and opens `/stream` meanwhile, which the prompt then
  /// leaves over in one write with the subscription: three round trips over plain TCP.
  func create(
    in target: ServerWorkspace
  ) async throws(OppiError) -> (session: Session, stream: EarlyStream) {
    let (api, answerEnd) = (api, answerEnd)
    async let opening = Self.openEarly(for: target.server, over: api, until: answerEnd)
    let new = NewSession(
      workspaceID: target.workspace.id,
      name: request.prompt.title,
      model: model,
      key: target.server.dialect?.creation.key(for: "\(request.prompt.clientTurnID).session")
    )
    let created = try await api.until(answerEnd)
      .createSession(new, connectingFor: limits.connect)
    return (created, await opening)
  }

  private static func openEarly(
    for server: PairedServer,
    over api: IntentAPIClient,
    until deadline: EventLoop.Instant
  ) async -> EarlyStream {
    guard server.dialect?.stream.subscribes ?? true else { return .success(nil) }
    do {
      return .success(try await api.until(deadline).openMultiplexed())
    } catch {
      return error.isNotFound ? .success(nil) : .failure(error)
    }
  }

  /// The end of the wait for an answer of a server that is reachable, as the creation of the session
  /// shows.
  var answerEnd: EventLoop.Instant {
    limits.total.map { begin + $0 } ?? api.loop.now + limits.answer
  }

  // MARK: - Both

  /// Looks up the requested model, once.
  mutating func findModel(
    of server: PairedServer,
    over calls: ServerCalls
  ) async throws(OppiError) {
    guard model == nil, let id = request.newModel else { return }
    model = try await models.model(id, thinking: request.level, of: server, over: calls)
  }

  private mutating func take(_ described: Session, in target: ServerWorkspace) {
    let session = target.place(of: described)
    self.session = session
    location.workspaceID = described.workspaceID ?? session.workspaceID
    location.workspaceName = session.workspaceName
    location.model = described.model
    (location.thinking, location.isPi) = (described.thinkingLevel, described.isPi)
  }
}
