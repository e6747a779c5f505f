// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiSystem
import OppiTransport

/// Performs the actions of a ``PromptDelivery`` over real streams and the REST interface.
struct DeliveryRun {
  private var delivery: PromptDelivery
  private var session: ServerSession
  private let api: IntentAPIClient
  private let connectLimit: Duration
  private let begin: EventLoop.Instant
  private let journal: (any DeliveryJournal)?
  /// The title that the session gets with the delivery.
  private let lastingTitle: String?
  private var socket: IntentWebSocket?
  /// The messages of the current stream, for a watch that continues with it.
  private var backlog = HandoverBacklog()
  /// The latest failure.
  private var cause: IntentError?
  private var events: [PromptDelivery.Event] = []

  init(
    _ delivery: PromptDelivery,
    to session: ServerSession,
    over api: IntentAPIClient,
    connecting connectLimit: Duration,
    since begin: EventLoop.Instant,
    journal: (any DeliveryJournal)? = nil,
    lastingTitle: String? = nil
  ) {
    self.delivery = delivery
    self.session = session
    self.api = api
    self.connectLimit = connectLimit
    self.begin = begin
    self.journal = journal
    self.lastingTitle = lastingTitle
  }

  /// Delivers the prompt, starting with a stream that was opened, or could not be opened, before.
  mutating func perform(
    with stream: Result<IntentWebSocket, IntentError>
  ) async throws(AskFailure) -> AskDelivery {
    take(stream)
    while delivery.verdict == nil {
      let event = events.isEmpty ? await nextEvent() : events.removeFirst()
      for action in delivery.handle(event, at: begin.duration(to: api.loop.now)) {
        await perform(action)
      }
    }
    return try await conclude()
  }

  // MARK: Events

  private mutating func take(_ stream: Result<IntentWebSocket, IntentError>) {
    switch stream {
    case .success(let socket):
      self.socket = socket
      backlog = HandoverBacklog()
      session.server.learn(socket.kind)
      events.append(.opened(socket.kind))
    case .failure(let error): fail(error)
    }
  }

  private mutating func fail(_ error: IntentError) {
    cause = error
    guard error.isPassing else { return events.append(.shutOut) }
    socket = nil
    events.append(error.isPlanned ? .expired : .lost)
  }

  private mutating func nextEvent() async -> PromptDelivery.Event {
    let wake = delivery.wakeAt.map { begin + $0 }
    guard let socket else {
      // Without a stream, only the delivery's own deadlines remain.
      try? await api.loop.sleep(until: wake ?? api.loop.now)
      return Task.isCancelled ? interrupted() : .woke
    }
    do {
      let silence = api.loop.now + SessionFeed.silence
      let next = try await socket.receiveMeasured(until: min(wake ?? silence, silence))
      backlog.append(next.message, size: next.size)
      return .received(next.message)
    } catch  where error.reason == .noAnswer {
      // The delivery's wake-ups must not hide that the stream is dead.
      guard await socket.isSilent(for: SessionFeed.silence) else { return .woke }
      fail(.noAnswer(server: api.serverName))
    } catch {
      fail(error)
    }
    return events.removeFirst()
  }

  private mutating func interrupted() -> PromptDelivery.Event {
    cause = .transport(.cancelled, server: api.serverName)
    return .shutOut
  }

  // MARK: Actions

  private mutating func perform(_ action: PromptDelivery.Action) async {
    switch action {
    case .open:
      do {
        let opener = SessionStreamOpener(api: api)
        take(.success(try await opener.open(for: session, until: limit(connectLimit))))
      } catch {
        take(.failure(error))
      }
    case .send(let requests):
      guard let socket else { return }
      if requests.contains(where: \.message.isTurn) {
        // Messages before the prompt belong to other turns.
        backlog = HandoverBacklog()
        guard await noteDeparture() else { return }
      }
      do {
        try await socket.send(requests, to: session.id, until: limit(connectLimit))
      } catch {
        fail(error)
      }
    case .look(let sequence):
      do {
        events.append(.looked(try await look(since: sequence)))
      } catch  where error.reason == .unknownSession {
        // A second check would not find it either.
        fail(error)
      } catch {
        events.append(.looked(nil))
      }
    case .close:
      await socket?.close()
      socket = nil
    case .delete: events.append(.deleted(await delete()))
    case .settle: break
    }
  }

  /// Records that the prompt is sent now; false if it must not be sent.
  private mutating func noteDeparture() async -> Bool {
    guard let journal, let (departure, moment) = delivery.departure else { return true }
    do {
      let elapsed = begin.duration(to: api.loop.now) - moment
      try await journal.departs(departure, to: session.id, since: elapsed)
      return true
    } catch {
      cause = .file(error)
      events.append(.withheld)
      return false
    }
  }

  /// The end of one step, within the limit of the delivery.
  private func limit(_ duration: Duration) -> EventLoop.Instant {
    let step = api.loop.now + duration
    return delivery.endsAt.map { min(begin + $0, step) } ?? step
  }

  private mutating func look(
    since sequence: Int?
  ) async throws(IntentError) -> PromptDelivery.ServerCheck {
    var located = session
    located.workspaceID = session.workspaceID ?? delivery.place.workspaceID
    let check = try await api.check(of: located, since: sequence, until: limit(connectLimit))
    for event in check.events ?? [] { backlog.append(event, size: 0) }
    return check
  }

  private func delete() async -> Bool {
    guard let workspaceID = session.workspaceID else { return false }
    do {
      try await api.deleteSession(session.id, workspaceID: workspaceID, until: limit(connectLimit))
      return true
    } catch {
      return false
    }
  }

  // MARK: Results

  private mutating func conclude() async throws(AskFailure) -> AskDelivery {
    if case .delivered(let progress)? = delivery.verdict { return await handOver(progress) }
    await socket?.close()
    var failure = AskFailure(
      delivery: failedDelivery,
      cause: cause,
      sessionID: delivery.isSessionDeleted ? nil : session.id,
      server: api.serverName,
      clientTurnID: delivery.clientTurnID,
      wasRepeated: delivery.wasRepeated
    )
    failure.isNewSession = delivery.order.isNewSession
    throw failure
  }

  private var failedDelivery: AskFailure.Delivery {
    switch delivery.verdict {
    case .refused(let refusal)?: .refused(refusal)
    case .unknown(let doubt)?: .unknown(doubt)
    case .notSent?, .delivered?, nil: .notSent
    }
  }

  /// Sets the session's title; does not wait for the result.
  private func rename() async {
    guard let lastingTitle, let socket else { return }
    let request = IntentWebSocket.Request(.setSessionName(lastingTitle), id: socket.newID())
    try? await socket.send([request], to: session.id, until: api.loop.now + connectLimit)
  }

  private mutating func handOver(_ progress: PromptDelivery.Progress) async -> AskDelivery {
    let outcome = AskOutcome(
      state: progress,
      sessionID: session.id,
      workspaceID: delivery.place.workspaceID,
      workspaceName: delivery.place.workspaceName,
      clientTurnID: delivery.clientTurnID,
      model: delivery.place.model,
      thinking: delivery.place.thinking,
      isPi: delivery.place.isPi,
      stream: delivery.stream ?? .multiplexed
    )
    guard delivery.order.waitsForTurn else {
      await rename()
      await socket?.close()
      return AskDelivery(outcome: outcome)
    }
    // The watch opens another stream, and reads what the backlog lacks.
    if backlog.isCut { await socket?.close() }
    let messages = backlog.messages
    let stream = OpenStream(
      socket: backlog.isCut ? nil : socket,
      backlog: progress == .queued ? messages : delivery.ownPart(of: messages),
      anchor: delivery.anchor,
      epoch: delivery.anchorEpoch
    )
    return AskDelivery(outcome: outcome, stream: stream)
  }
}

/// Records that a prompt is about to be sent, so that another process can determine its state if
/// this process ends.
protocol DeliveryJournal: Sendable {
  /// Called before the prompt is sent or sent again.
  ///
  /// `elapsed` is the time since it was first sent; zero on the first attempt.
  ///
  /// - Throws: If the record could not be written; the prompt is not sent.
  func departs(
    _ departure: PromptDelivery.Departure,
    to sessionID: String,
    since elapsed: Duration
  ) async throws(FileError)

  /// Called just before the request is sent, or sent again, that creates the session with the
  /// prompt.
  ///
  /// - Throws: If the record could not be written; the request is not made.
  func launches() async throws(FileError)
}

/// The messages that arrive before a prompt is known to be delivered.
///
/// The server decides how many they are. Beyond the limit none is kept, because a part of them
/// would be taken for the whole.
struct HandoverBacklog {
  /// In bytes as sent: far more than an agent writes until its prompt is acknowledged.
  static let limit = 8 << 20
  /// What a message takes besides its text.
  private static let overhead = 200

  private(set) var messages: [ServerMessage] = []
  private(set) var isCut = false
  private var size = 0

  mutating func append(_ message: ServerMessage, size: Int) {
    self.size += size + Self.overhead
    isCut = isCut || self.size > Self.limit
    if isCut { messages = [] } else { messages.append(message) }
  }
}
