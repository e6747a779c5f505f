// SPDX-License-Identifier: MIT

import EventLoop
import OppiClient
import OppiModel
import OppiPrompts
import OppiTerminal
import OppiText
import OppiTurns
import OppiWire

/// Runs the console on a terminal: owns the watches of the servers, performs the effects of the
/// screen, and passes the news to it.
struct ConsoleLoop {
  private typealias Input = TerminalInput<ConsoleNews>

  /// How often the time of day is set, and expired requests are noticed.
  private static let clockTime = Duration.seconds(1)

  /// How often to check the list of paired servers for changes.
  private static let listTime = Duration.seconds(5)

  /// The servers at the start.
  private let first: [PairedServer]
  /// Its messages are notices of the screen, because nothing else may write on the terminal.
  let context: Context
  /// The live connection of the chat.
  let chat: ConsoleChatConnection
  private let inputs: AsyncStream<Input>
  private let post: AsyncStream<Input>.Continuation

  init(_ servers: [PairedServer], in context: Context) {
    first = servers
    (inputs, post) = AsyncStream<Input>.makeStream()
    self.context = context.sending { [post] in post.yield(.news(.note($0))) }
    chat = ConsoleChatConnection(in: self.context)
  }

  /// Runs until the user leaves, and returns the last state; the terminal is restored in any case.
  ///
  /// - Throws: If the terminal cannot be used, or the result of a change is unknown at the end;
  ///   `CancellationError`.
  @discardableResult
  func run(_ screen: ConsoleScreen) async throws -> ConsoleScreen {
    let program = try TerminalProgram(screen, on: FullFrame(), in: context)
    return try await run(program) { $0.screen }.screen
  }

  /// Runs the console in a form, and returns its last state.
  ///
  /// The face has already taken over the terminal; `form` returns what it shows.
  @discardableResult
  func run<Face: TerminalFace<ConsoleNews, ConsoleEffect>>(
    _ face: Face,
    form: (Face) -> any ConsoleForm
  ) async throws -> Face {
    var face = face
    let isOver = try await face.run(inputs, post, beside: [watch, tick]) { _, effect in
      { await complete(effect) }
    }
    let end = form(face)
    if end.isUnsettled || end.unconfirmedCount > 0 {
      throw OppiError(
        .deliveryUnknown,
        "could not confirm your last decision or change",
        hints: ["check with: oppi approvals, oppi sessions"],
        details: ["unconfirmed": .integer(Int64(end.unconfirmedCount))]
      )
    }
    if !isOver { throw CancellationError() }
    return face
  }

  /// The servers as they are paired now; those at the start if the list cannot be read.
  var servers: [PairedServer] { (try? context.servers()) ?? first }

  var feed: ConsoleFeed { ConsoleFeed(servers, in: context.services) }

  @Sendable func report(_ news: ConsoleNews) { post.yield(.news(news)) }

  @Sendable private func tick() async throws {
    while true {
      try await context.loop.sleep(for: Self.clockTime)
      report(.clock(context.now()))
    }
  }

  /// Watches the servers, also those that are paired meanwhile.
  @Sendable private func watch() async throws {
    while true {
      let present = servers
      report(.paired(present.map { ($0.id, $0.name) }))
      try await withThrowingTaskGroup(of: Void.self) { group in
        defer { group.cancelAll() }
        if !present.isEmpty {
          group.addTask { try await ConsoleFeed(present, in: context.services).run(report) }
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

  /// Performs an effect, and then reports what has changed.
  private func complete(_ effect: ConsoleEffect) async {
    await perform(effect)
    if effect.isChange { report(.changeEnded) }
    // The user may leave before this query.
    if effect.changesTurns { try? await feed.refresh(report) }
  }

  private func perform(_ effect: ConsoleEffect) async {
    switch effect {
    case .refresh: try? await feed.refresh(report)
    case .reply(let reply, let request, let reason):
      await self.reply(reply, to: request, because: reason)
    case .send(let text, let id): await send(text, to: id)
    case .own(let effect): await effect.perform(in: self)
    case .showChat, .newPrompt, .edit, .copy, .leave: break
    }
  }

  // MARK: - Requests and messages

  /// Reports that a change failed, or that its result is unknown.
  func reportFailure(_ words: String, _ error: any Error) {
    let error = OppiError(error)
    let text = "\(words): \(error.message.safeLine(limit: 200))"
    let isUnknown = [.deliveryUnknown, .outcomeUnknown].contains(error.code)
    report(isUnknown ? .unconfirmed(text) : .failed(text))
  }

  /// Replies to a request as it was shown, if it is still pending and unchanged.
  private func reply(
    _ reply: RequestReply,
    to request: ListedRequest,
    because reason: String?
  ) async {
    let outcome: DecisionOutcome?
    var text: String
    let (asked, server) = (request.request, request.id.serverID)
    switch await context.services.reply(reply, to: asked, of: server, isRead: true) {
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
    report(.replied(reply, request, outcome, text: text))
    if let reason, let session {
      await send(reason, to: .init(serverID: request.id.serverID, sessionID: session))
    }
  }

  /// Sends a message to a session; while the agent works, the message is queued behind its turn.
  private func send(_ text: String, to id: ListedSession.ID) async {
    do {
      let session = try await context.services.located(id).session
      let prompt = Prompt(text, clientTurnID: context.loop.newID())
      _ = try await context.services.deliver(AskRequest(prompt, to: .session(session)))
      report(.note("sent to \(id.sessionID): \(text.safeLine(limit: 60))"))
    } catch {
      let message = OppiError(error).message
      if case .unknown? = (error as? AskFailure)?.delivery {
        let advice = ConsoleModel.unconfirmed(text.safeLine(limit: 200))
        report(.unconfirmed("\(advice): \(message)"))
      } else {
        report(.unsent(text, to: id))
        report(.failed("not sent; reply to the session to send it again: \(message)"))
      }
    }
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
