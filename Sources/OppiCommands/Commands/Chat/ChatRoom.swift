// SPDX-License-Identifier: MIT

import EventLoop
import OppiIntents
import OppiModel
import OppiRendering
import OppiSystem
import OppiTransport

/// An open conversation: the session's news and the user's keys, one after the other.
struct ChatRoom {
  /// Something that happened.
  enum Event: Sendable {
    case input([UInt8])
    case inputEnded
    case news(TurnFollower.Step, TurnActivity, IntentWebSocket?)
    case tick
    case settled(ChatLink.Result)
    case looked(PromptDelivery.Sighting?, clientTurnID: String)
    /// A message waits until the session can be reached.
    case held
    /// A message's fate is known.
    case told(ChatMail.Settled)
    case failed(IntentError)
  }

  private static let tick = Duration.milliseconds(100)

  let session: ServerSession
  let context: Context
  private let begin: EventLoop.Instant

  init(session: ServerSession, context: Context) {
    self.session = session
    self.context = context
    begin = context.loop.now
  }

  func run() async throws {
    let api = try await context.connections.client(for: session.server)
    let link = ChatLink(session: session, api: api, newID: context.newID)
    let name = session.workspaceName ?? session.workspaceID ?? ""
    await context.console.status(
      StyledText("Session \(session.id) in \(name) on \(session.server.name)")
    )
    let isDumb = ["", "dumb"].contains(context.environment["TERM"] ?? "")
    var face: any ChatFace =
      isDumb ? LineFace(context: context) : try ScreenFace(context: context)
    defer { face.restore() }
    let (events, continuation) = AsyncStream.makeStream(of: Event.self)
    try await withThrowingTaskGroup(of: Void.self) { group in
      let reader = face.reader
      group.addTask { await read(by: reader, continuation) }
      group.addTask { await follow(api, continuation) }
      group.addTask { await beat(continuation) }
      defer { group.cancelAll() }
      var stream: IntentWebSocket?
      var mail = ChatMail(sessionID: session.id)
      for await event in events {
        if case .news(_, _, let current) = event { stream = current }
        let present = stream
        var errands = deliver(event, &mail)
        for effect in try await face.handle(event) {
          switch effect {
          case .leave: return
          case .send(let text, let kind):
            errands += post(text, kind, &mail)
            if mail.isHolding { continuation.yield(.held) }
          default:
            group.addTask {
              continuation.yield(.settled(await link.perform(effect, over: present)))
            }
          }
        }
        for errand in errands {
          group.addTask { await run(errand, by: link, over: present, continuation) }
        }
      }
    }
  }

  // MARK: - Messages on their way

  private var elapsed: Duration { begin.duration(to: context.loop.now) }

  private func post(
    _ text: String,
    _ kind: ChatState.ClientMessageKind,
    _ mail: inout ChatMail
  ) -> [ChatMail.Errand] {
    mail.send(
      text,
      clientTurnID: context.newID(),
      whenBusy: kind == .steer ? .steer : .queue,
      at: elapsed
    )
  }

  /// Tells the messages on their way what has happened.
  private func deliver(_ event: Event, _ mail: inout ChatMail) -> [ChatMail.Errand] {
    switch event {
    case .news(.changes(_, of: let message?), _, _): mail.receive(message, at: elapsed)
    case .news(.lost, _, _): mail.lost(at: elapsed)
    case .news(.standing, _, let stream):
      mail.connected(stream?.dialect ?? .multiplexed, at: elapsed)
    case .looked(let sighting, let id): mail.looked(sighting, clientTurnID: id, at: elapsed)
    case .tick where !mail.isEmpty: mail.woke(at: elapsed)
    default: []
    }
  }

  private func run(
    _ errand: ChatMail.Errand,
    by link: ChatLink,
    over stream: IntentWebSocket?,
    _ continuation: AsyncStream<Event>.Continuation
  ) async {
    switch errand {
    case .send(let requests): await link.send(requests, over: stream)
    case .look(let sequence, let workspaceID, let id):
      let sighting = await link.look(since: sequence, in: workspaceID)
      continuation.yield(.looked(sighting, clientTurnID: id))
    case .reopen: await stream?.close()
    case .tell(let settled): continuation.yield(.told(settled))
    }
  }

  private func read(
    by reader: @Sendable () async throws -> [UInt8],
    _ continuation: AsyncStream<Event>.Continuation
  ) async {
    while let bytes = try? await reader() {
      guard !bytes.isEmpty else { break }
      continuation.yield(.input(bytes))
    }
    continuation.yield(.inputEnded)
  }

  private func follow(
    _ api: IntentAPIClient,
    _ continuation: AsyncStream<Event>.Continuation
  ) async {
    let feed = SessionFeed(api: api, session: session, patience: nil, newID: context.newID)
    var follower = TurnFollower(feed: feed, sessionID: session.id, now: context.now)
    do {
      while !Task.isCancelled {
        let step = try await follower.next(until: nil)
        continuation.yield(.news(step, follower.activity, follower.stream))
      }
    } catch {
      if !Task.isCancelled { continuation.yield(.failed(error)) }
    }
    await follower.close()
  }

  private func beat(_ continuation: AsyncStream<Event>.Continuation) async {
    while (try? await context.loop.sleep(for: Self.tick)) != nil {
      continuation.yield(.tick)
    }
  }
}

/// How a chat looks: it turns events into pictures and keys into effects.
protocol ChatFace {
  /// Waits for the user's next bytes; none at the end of the input.
  var reader: @Sendable () async throws -> [UInt8] { get }

  /// Takes an event; the effects that need the server, and `leave`, are the room's.
  mutating func handle(_ event: ChatRoom.Event) async throws -> [ChatState.Effect]

  /// Gives the terminal back.
  mutating func restore()
}
