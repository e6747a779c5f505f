// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiSystem
import OppiTerminal

/// The presentation of the console on a terminal.
protocol ConsoleFace: TerminalFace<ConsoleNews, ConsoleEffect> {
  /// Whether the result of anything that was sent is not known yet.
  var isUnsettled: Bool { get }
}

extension TerminalProgram: ConsoleFace where Content == ConsoleScreen {
  var isUnsettled: Bool { screen.isUnsettled }
}

/// Runs the console on a terminal: owns the watches of the servers, performs the effects of the
/// screen, and passes the news to it.
struct ConsoleLoop {
  private typealias Input = TerminalInput<ConsoleNews>

  /// How often the time of day is set, and expired requests are noticed.
  private static let clockTime = Duration.seconds(1)

  private typealias Teller = @Sendable (ConsoleNews) -> Void

  /// How often to check the list of paired servers for changes.
  private static let listTime = Duration.seconds(5)

  /// The servers at the start.
  private let first: [PairedServer]
  /// Its messages are notices of the screen, because nothing else may write on the terminal.
  private let context: Context
  private let chat: ConsoleChatConnection
  private let events: AsyncStream<Input>
  private let post: AsyncStream<Input>.Continuation

  init(_ servers: [PairedServer], in context: Context) {
    first = servers
    (events, post) = AsyncStream<Input>.makeStream()
    self.context = context.telling { [post] in post.yield(.news(.note($0))) }
    chat = ConsoleChatConnection(in: self.context)
  }

  /// Runs until the user leaves, and returns the last state; the terminal is restored in any case.
  ///
  /// - Throws: If the terminal cannot be used, or the result of a change is unknown at the end;
  ///   `CancellationError`.
  @discardableResult
  func run(_ screen: ConsoleScreen) async throws -> ConsoleScreen {
    try await run(TerminalProgram(screen, on: FullFrame(), in: context)).screen
  }

  /// Runs the console in a form, and returns its last state.
  ///
  /// The face has already taken over the terminal.
  @discardableResult
  func run<Face: ConsoleFace>(_ face: Face) async throws -> Face {
    var face = face
    defer { face.restore() }
    try await withThrowingDiscardingTaskGroup { group in
      defer { group.cancelAll() }
      let source = face.source
      group.addTask { await source { post.yield($0) } }
      group.addTask {
        do {
          try await watch()
        } catch is CancellationError {
          // The console has ended.
        }
      }
      group.addTask { [context] in
        while (try? await context.loop.sleep(for: Self.clockTime)) != nil {
          post.yield(.news(.clock(context.now())))
        }
      }
      for await event in events {
        let reaction = try await face.handle(event)
        for effect in reaction.effects {
          group.addTask {
            await perform(effect) { post.yield(.news($0)) }
            if effect.isChange { post.yield(.news(.changeEnded)) }
            // The user may leave before this query.
            if effect.changesTurns {
              try? await feed.refresh { post.yield(.news(Self.news($0, $1))) }
            }
          }
        }
        guard reaction.isOver else { continue }
        if face.isUnsettled { throw OppiError.unconfirmedChange }
        return
      }
      if face.isUnsettled { throw OppiError.unconfirmedChange }
      throw CancellationError()
    }
    return face
  }

  /// The servers as they are paired now; those at the start if the list cannot be read.
  private var servers: [PairedServer] { (try? context.servers()) ?? first }

  private var feed: ConsoleFeed { ConsoleFeed(servers, in: context.intents) }

  /// Watches the servers, also those that are paired meanwhile.
  private func watch() async throws {
    while true {
      let present = servers
      post.yield(.news(.paired(present.map { ($0.id, $0.name) })))
      try await withThrowingTaskGroup(of: Void.self) { group in
        defer { group.cancelAll() }
        if !present.isEmpty {
          group.addTask {
            try await ConsoleFeed(present, in: context.intents).run(
              { post.yield(.news(Self.news($0, $1))) },
              decisions: { post.yield(.news(.decided($0.id, $1))) }
            )
          }
        }
        group.addTask {
          repeat {
            try await context.loop.sleep(for: Self.listTime)
          } while servers.map(\.listing) == present.map(\.listing)
        }
        _ = try await group.next()
      }
    }
  }

  private static func news(_ server: PairedServer, _ look: ConsoleFeed.Look) -> ConsoleNews {
    .looked(server.id, look.mapError { ConsoleBoard.Failure($0) })
  }

  private func perform(_ effect: ConsoleEffect, _ tell: @escaping Teller) async {
    switch effect {
    case .refresh: try? await feed.refresh { tell(Self.news($0, $1)) }
    case .reply(let reply, let request, let reason):
      await self.reply(reply, to: request, because: reason, tell)
    case .read(let id, let count): await read(count, of: id, tell)
    case .send(let text, let id): await send(text, to: id, tell)
    case .stop(let id): await stop(id, tell)
    case .readSchedules, .enable, .runNow, .plan, .save:
      await ConsoleSchedules(servers, in: context).perform(effect, tell)
    case .readSettings, .revoke, .removeRule, .signOut:
      await ConsoleSettings(servers, in: context).perform(effect, tell)
    case .openChat(let id): await chat.open(id, tell)
    case .chat(let effect, let id): await chat.perform(effect, of: id, tell)
    case .search(let text):
      let search = ConsoleSearch(servers, in: context.intents)
      guard let (hits, silent) = try? await search.hits(for: text) else { break }
      tell(.found(hits, silent: silent))
    case .showChat, .edit, .leave: break
    }
  }

  // MARK: - Sessions

  private var sessions: ConsoleSessions { ConsoleSessions(in: context.intents) }

  private func read(_ count: Int, of id: BoardSession.ID, _ tell: @escaping Teller) async {
    do {
      tell(.conversation(id, .success(try await sessions.turns(count, of: id))))
    } catch {
      let message = OppiError(error).message.safeLine(limit: 200)
      tell(.conversation(id, .failure(.init(message: message))))
    }
  }

  private func stop(_ id: BoardSession.ID, _ tell: @escaping Teller) async {
    do {
      let outcome = try await sessions.stop(id)
      if case .failed(let reason) = outcome {
        tell(.note("not stopped: \(reason.safeLine(limit: 200))"))
      } else {
        tell(.note(Stop.words(for: outcome, id.sessionID)))
      }
    } catch {
      tell(.note("not stopped: \(OppiError(error).message)"))
    }
  }

  private func reply(
    _ reply: RequestReply,
    to request: ListedRequest,
    because reason: String?,
    _ tell: @escaping Teller
  ) async {
    let outcome: DecisionOutcome?
    var text: String
    switch await sessions.reply(reply, to: request) {
    case .success(let reported):
      let call = "\(reply.quoted)\(request.approval.summary.safeLine(limit: 60))"
      (outcome, text) = (reported, "\(reported.notice(of: reply)): \(call)")
    case .failure(let error): (outcome, text) = (nil, "not decided: \(OppiError(error).message)")
    }
    // The agent gets a reason only after a confirmed denial.
    let session = outcome == .decided ? request.id.sessionID : nil
    if let reason, session == nil {
      text += "; the reason was not sent: '\(reason.safeLine(limit: 100))'"
    }
    tell(.replied(reply, request, outcome, text: text))
    if let reason, let session {
      await send(reason, to: .init(serverID: request.id.serverID, sessionID: session), tell)
    }
  }

  private func send(_ text: String, to id: BoardSession.ID, _ tell: @escaping Teller) async {
    do {
      try await sessions.send(text, to: id)
      tell(.note("sent to \(id.sessionID): \(text.safeLine(limit: 60))"))
    } catch {
      let message = OppiError(error).message
      if case .unknown? = (error as? AskFailure)?.delivery {
        let line = text.safeLine(limit: 200)
        tell(.note("\(message); check the session before you send it again: '\(line)'"))
      } else {
        tell(.unsent(text, to: id))
        tell(.note("not sent; reply to the session to send it again: \(message)"))
      }
    }
  }
}

extension ConsoleBoard.Failure {
  /// The message and the first hint of an error.
  fileprivate init(_ error: OppiError) {
    let kind: Kind =
      switch error.code {
      case _ where error.isFinalRefusal: .refusal
      case .pinMismatch, .certificateRejected, .identityMismatch: .notTrusted
      case .protocolBroken: .invalid
      default: .unreachable
      }
    self.init(
      message: error.message.safeLine(limit: 200),
      remedy: kind == .unreachable ? nil : error.hints.first?.safeLine(limit: 200),
      kind: kind
    )
  }
}

extension RequestReply {
  /// The text of an answer, before what it answers; empty for other replies.
  fileprivate var quoted: String {
    guard case .answer(.value(let text)) = self else { return "" }
    return "'\(text.safeLine(limit: 40))' to "
  }
}

extension PairedServer {
  /// What the console shows of a server in lists.
  fileprivate var listing: [String] { [id.text, name, endpoint.description] }
}
