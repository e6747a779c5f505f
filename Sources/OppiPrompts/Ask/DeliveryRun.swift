// SPDX-License-Identifier: MIT

import EventLoop
import OppiClient
import OppiModel
import OppiText
import OppiTransport
import OppiTurns
import OppiWire

/// Delivers one prompt to a workspace or a session, and reports how far it came.
///
/// Two state machines decide: a ``SessionLaunch`` about a prompt in the request that creates its
/// session, a ``PromptDelivery`` about a prompt over streams of its session. This performs their
/// actions, and creates the session that a stream needs.
struct DeliveryRun {
  let request: AskRequest
  let api: IntentAPIClient
  let models: ModelCatalog
  let limits: PromptDelivery.Limits
  /// Gets each step before it is taken; `nil` for a prompt that no other process will look for.
  var journal: OutboxJournal?
  /// Reports why a session does not start; `nil` if no user waits.
  var notice: StartNotice?
  /// Whether a prompt of an earlier process may be sent again.
  private let mayRepeat: Bool
  /// Whether a slow start is part of the wait, and the result has the open stream.
  private let waitsForTurn: Bool
  let begin: EventLoop.Instant
  /// As soon as it is known.
  var session: ServerSession?
  var isSessionDeleted = false
  /// What the server has told about a session that was created for the prompt.
  var location = PromptDelivery.ReportedLocation()
  /// The latest failure.
  var cause: OppiError?
  /// For the requests of a launch, each with its own deadline.
  var calls: ServerCalls
  /// The model for a new session, as the server offers it.
  var model: OfferedModel?
  private var socket: IntentWebSocket?
  /// The messages of the current stream, for a watch that continues with it.
  private var backlog = EarlyMessages()

  init(
    of request: AskRequest,
    over api: IntentAPIClient,
    models: ModelCatalog,
    limits: PromptDelivery.Limits = PromptDelivery.Limits(),
    journal: OutboxJournal? = nil,
    mayRepeat: Bool = true,
    waitingForTurn: Bool = false
  ) {
    (self.request, self.api, self.models, self.limits) = (request, api, models, limits)
    (self.journal, self.mayRepeat, waitsForTurn) = (journal, mayRepeat, waitingForTurn)
    begin = api.loop.now
    calls = api.until(begin).overOneConnection()
  }

  /// Delivers the prompt, or determines whether it was delivered.
  ///
  /// After an earlier process, whose state of the prompt is `past`, the server is queried first, and
  /// the prompt is sent again only if it cannot run twice.
  ///
  /// - Throws: `AskFailure` if the agent is not known to have the prompt.
  mutating func perform(
    after past: QueuedPrompt.State = .waiting(retryAt: nil)
  ) async throws(AskFailure) -> AskDelivery {
    let text = request.prompt.text
    switch past {
    case .launched(let moment):
      guard let target = launchTarget else { break }
      let launch = SessionLaunch(
        of: text,
        resumedAfter: moment.map(elapsed) ?? Self.unknownTime,
        mayRepeat: mayRepeat,
        limits: limits
      )
      return try await self.launch(launch, in: target)
    case .departed(let departure, let moment):
      guard let session = request.target.knownSession else { break }
      return try await resume(departure, to: session, since: elapsed(since: moment))
    case .waiting, .delivered, .failed, .expired, .unknown:
      if let target = launchTarget, !waitsForTurn, request.prompt.images.isEmpty,
        newSession(in: target).fits(request.prompt.text)
      {
        return try await launch(SessionLaunch(of: text, limits: limits), in: target)
      }
      return try await send()
    }
    throw failure(.unknown(.agentGone))
  }

  /// An upper bound of the time since a moment; longer than any uptime if unknown.
  private func elapsed(since moment: MachineTime) -> Duration {
    api.loop.machineTime().elapsed(since: moment) ?? Self.unknownTime
  }

  private static let unknownTime = Duration.seconds(1 << 40)

  /// The workspace for a session, on a server that recognises a repeated creation.
  private var launchTarget: ServerWorkspace? {
    let target = request.target
    guard target.knownSession == nil, target.server.dialect?.creation == .idempotent else {
      return nil
    }
    return target.workspace
  }

  private mutating func send() async throws(AskFailure) -> AskDelivery {
    let session: ServerSession
    var early: EarlyStream?
    do throws(OppiError) {
      try await checkUploads()
      if let existing = request.target.knownSession {
        session = existing
      } else {
        let target = request.target.workspace
        try await findModel(of: target.server, over: api.until(stepEnd(by: limits.total)))
        let created = try await create(in: target)
        (session, early) = (target.place(of: created.session), created.stream)
        location.model = created.session.model
      }
    } catch {
      throw AskFailure(notSent: request, because: error)
    }
    let order: PromptDelivery.Order
    do throws(OppiError) {
      order = try await self.order(for: session)
    } catch {
      cause = error
      // A session that was created for the prompt is deleted, unless a retry with it may help.
      if request.target.isNewSession, session.workspaceID != nil {
        self.session = session
        if !error.isPassing { await delete(until: api.loop.now + limits.connect) }
      }
      throw failure(.notSent)
    }
    (location.workspaceID, location.workspaceName) = (session.workspaceID, session.workspaceName)
    self.session = session
    return try await deliver(PromptDelivery(order, location: location), over: early)
  }

  private mutating func resume(
    _ departure: PromptDelivery.SendRecord,
    to session: ServerSession,
    since elapsed: Duration
  ) async throws(AskFailure) -> AskDelivery {
    self.session = session
    self.session?.server.learn(departure.stream)
    var order: PromptDelivery.Order
    do {
      order = try await self.order(for: session)
    } catch {
      cause = error
      throw failure(.unknown(.lost))
    }
    order.mayRepeat = mayRepeat
    (location.workspaceID, location.workspaceName) = (session.workspaceID, session.workspaceName)
    return try await deliver(
      .resumed(order, after: departure, at: .zero - elapsed, location: location)
    )
  }

  /// The order of a delivery; uploads the images if the server requires it.
  private func order(
    for session: ServerSession
  ) async throws(OppiError) -> PromptDelivery.Order {
    var prompt = request.prompt
    if uploadsImages {
      let end = limits.total.map { begin + $0 }
      prompt.attachments = try await api.upload(prompt.images, to: session, until: end)
      prompt.images = []
    }
    let isNew = request.target.isNewSession
    var order = PromptDelivery.Order(to: session.id, isNewSession: isNew, of: prompt)
    (order.waitsForTurn, order.limits) = (waitsForTurn, limits)
    return order
  }

  // MARK: - Over streams

  /// Delivers over streams, the first of which may have been opened before.
  private mutating func deliver(
    _ delivery: PromptDelivery,
    over early: EarlyStream? = nil
  ) async throws(AskFailure) -> AskDelivery {
    var delivery = delivery
    var events = [await open(early, until: api.loop.now + limits.connect)]
    while delivery.verdict == nil {
      let event = events.isEmpty ? await nextEvent(of: delivery) : events.removeFirst()
      for action in delivery.handle(event, at: now) {
        if let event = await perform(action, of: delivery) { events.append(event) }
      }
    }
    if case .delivered(let progress)? = delivery.verdict {
      return await handOver(delivery, progress)
    }
    await socket?.close()
    var failure = failure(delivery.verdict)
    failure.clientTurnID = delivery.clientTurnID
    failure.wasRepeated = delivery.wasRepeated
    throw failure
  }

  /// Takes the stream that was opened early, or opens another one of the session.
  private mutating func open(
    _ early: EarlyStream? = nil,
    until deadline: EventLoop.Instant
  ) async -> PromptDelivery.Event {
    guard let session else { return .shutOut }
    do throws(OppiError) {
      let socket =
        switch early {
        case nil: try await api.until(deadline).openStream(of: session)
        case .success(nil)?: try await api.until(answerEnd).openOwnStream(of: session)
        case .success(let opened?)?: opened
        case .failure(let error)?: throw error
        }
      self.socket = socket
      backlog = EarlyMessages()
      self.session?.server.learn(socket.kind)
      return .opened(socket.kind)
    } catch {
      return failed(error)
    }
  }

  private mutating func failed(_ error: OppiError) -> PromptDelivery.Event {
    cause = error
    if error.isPassing { socket = nil }
    return PromptDelivery.Event(failure: error)
  }

  private mutating func nextEvent(of delivery: PromptDelivery) async -> PromptDelivery.Event {
    let wake = delivery.wakeAt.map { begin + $0 }
    guard let socket else {
      // Without a stream, only the delivery's own deadlines remain.
      try? await api.loop.sleep(until: wake ?? api.loop.now)
      guard Task.isCancelled else { return .woke }
      cause = .transport(.cancelled, server: api.serverName)
      return .shutOut
    }
    do {
      let silenceEnd = await socket.silenceEnd
      let next = try await socket.receive(until: min(wake ?? silenceEnd, silenceEnd))
      backlog.append(next.message, size: next.size)
      if case .question(let question) = next.message.kind { await notice?.report(question) }
      return .received(next.message)
    } catch  where error.reason == .noAnswer {
      // The delivery's wake-ups must not hide that the stream is dead.
      guard await socket.isDead else { return .woke }
      return failed(.noAnswer(server: api.serverName))
    } catch {
      return failed(error)
    }
  }

  private mutating func perform(
    _ action: PromptDelivery.Action,
    of delivery: PromptDelivery
  ) async -> PromptDelivery.Event? {
    switch action {
    case .open: return await open(until: stepEnd(by: delivery.endsAt))
    case .send(let requests):
      guard socket != nil else { return nil }
      if requests.contains(where: \.message.isTurn) {
        // Messages before the prompt belong to other turns.
        backlog = EarlyMessages()
        guard recordSend(of: delivery) else { return .notSent }
      }
      return await performAtServer(action, of: delivery)
    case .look:
      let event = await performAtServer(action, of: delivery)
      if case .looked(let check?) = event {
        for event in check.events ?? [] { backlog.append(event, size: 0) }
      }
      return event
    case .close:
      await socket?.close()
      socket = nil
      return nil
    case .delete:
      await delete(until: stepEnd(by: delivery.endsAt))
      return .deleted
    case .settle: return nil
    }
  }

  /// Records that the prompt is sent now; false if it must not be sent.
  private mutating func recordSend(of delivery: PromptDelivery) -> Bool {
    guard let (departure, moment) = delivery.departure else { return true }
    let elapsed = now - moment
    do {
      try journal?.departs(departure, to: delivery.order.sessionID, since: elapsed)
      return true
    } catch {
      cause = .file(error)
      return false
    }
  }

  private mutating func performAtServer(
    _ action: PromptDelivery.Action,
    of delivery: PromptDelivery
  ) async -> PromptDelivery.Event? {
    guard var session else { return .shutOut }
    session.workspaceID = session.workspaceID ?? delivery.location.workspaceID
    do {
      return try await api.until(stepEnd(by: delivery.endsAt))
        .perform(action, in: session, over: socket)
    } catch {
      return failed(error)
    }
  }

  private mutating func handOver(
    _ delivery: PromptDelivery,
    _ progress: PromptDelivery.Progress
  ) async -> AskDelivery {
    let outcome = AskOutcome(
      state: progress,
      sessionID: delivery.order.sessionID,
      clientTurnID: delivery.clientTurnID,
      location: delivery.location,
      stream: delivery.stream ?? .multiplexed
    )
    guard waitsForTurn else {
      await rename()
      await socket?.close()
      return (outcome, nil)
    }
    // The watch opens another stream, and reads what the backlog lacks.
    if backlog.isCut { await socket?.close() }
    let messages = backlog.messages
    let open = StreamHandover(
      socket: backlog.isCut ? nil : socket,
      backlog: progress == .queued ? messages : delivery.ownPart(of: messages),
      anchor: delivery.anchor,
      epoch: delivery.anchorEpoch
    )
    return (outcome, open)
  }

  /// Gives a new session its lasting title; does not wait for the result.
  private func rename() async {
    guard let title = request.prompt.lastingTitle, request.target.isNewSession, let socket,
      let session
    else { return }
    let renaming = IntentWebSocket.Request(.setSessionName(title), id: socket.newID())
    try? await socket.send([renaming], to: session.id, until: api.loop.now + limits.connect)
  }

  // MARK: - Both machines

  /// The time since the delivery began, which the machines count.
  var now: Duration { begin.duration(to: api.loop.now) }

  /// The end of one step, within a limit of the delivery, if it has one.
  func stepEnd(by limit: Duration?) -> EventLoop.Instant {
    let step = api.loop.now + limits.connect
    return limit.map { min(begin + $0, step) } ?? step
  }

  /// Deletes the session, which was created for this prompt; if it stays, the error names it.
  mutating func delete(until deadline: EventLoop.Instant) async {
    guard let session, let workspaceID = session.workspaceID else { return }
    let calls = api.until(deadline)
    do {
      if request.target.emptySessionID != nil {
        // Another client may have used it since an earlier attempt created it.
        isSessionDeleted =
          try await calls.deleteUnused(session.id, workspaceID: workspaceID, afterRefusals: 1)
      } else {
        try await calls.deleteSession(session.id, workspaceID: workspaceID)
        isSessionDeleted = true
      }
    } catch {
      // The session stays; the failure names it.
    }
  }

  /// The failure of a delivery with this verdict.
  func failure(_ verdict: PromptDelivery.Verdict?) -> AskFailure {
    let delivery: AskFailure.Delivery =
      switch verdict {
      case .refused(let refusal)?: .refused(refusal)
      case .unknown(let doubt)?: .unknown(doubt)
      case .notSent?, .delivered?, nil: .notSent
      }
    var failure = AskFailure(
      delivery: delivery,
      cause: cause,
      sessionID: isSessionDeleted ? nil : session?.id,
      server: api.serverName,
      clientTurnID: request.prompt.clientTurnID
    )
    failure.isNewSession = request.target.isNewSession
    return failure
  }
}
