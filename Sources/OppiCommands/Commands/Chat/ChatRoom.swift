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
    /// What came of a stop, a decision or an answer.
    case performed(ChatResult)
    case mail(ChatMail.News)
    /// A message waits until the session can be reached.
    case held
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
    let link = ChatLink(session: session, api: api)
    await announce()
    var face = try makeFace()
    defer { face.restore() }
    let (events, continuation) = AsyncStream.makeStream(of: Event.self)
    try await withThrowingTaskGroup(of: Void.self) { group in
      let reader = face.reader
      group.addTask { await read(by: reader, continuation) }
      group.addTask { await follow(by: link, continuation) }
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
              continuation.yield(.performed(await link.perform(effect, over: present)))
            }
          }
        }
        for errand in errands {
          group.addTask {
            guard let news = await link.perform(errand, over: present) else { return }
            continuation.yield(.mail(news))
          }
        }
      }
    }
  }

  private func announce() async {
    let name = session.workspaceName ?? session.workspaceID ?? ""
    await context.console.status(
      StyledText("Session \(session.id) in \(name) on \(session.server.name)")
    )
  }

  private func makeFace() throws -> any ChatFace {
    let isDumb = ["", "dumb"].contains(context.environment["TERM"] ?? "")
    return isDumb ? LineFace(context: context) : try ScreenFace(context: context)
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
      clientTurnID: context.loop.newID(),
      whenBusy: kind == .steer ? .steer : .queue,
      at: elapsed
    )
  }

  /// Tells the messages on their way what has happened.
  private func deliver(_ event: Event, _ mail: inout ChatMail) -> [ChatMail.Errand] {
    switch event {
    case .news(let step, _, let stream): mail.take(step, over: stream, at: elapsed)
    case .mail(let news): mail.take(news, at: elapsed)
    case .tick: mail.woke(at: elapsed)
    default: []
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
    by link: ChatLink,
    _ continuation: AsyncStream<Event>.Continuation
  ) async {
    var follower = link.follower()
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
