// SPDX-License-Identifier: MIT

import EventLoop
import OppiClient
import OppiModel
import OppiPrompts
import OppiSystem
import OppiText
import OppiTurns
import OppiWire

/// A session in which a user chats: follows it, and performs the effects of the conversation;
/// independent of a screen.
struct ChatSession: Sendable {
  private static let limit = Duration.seconds(10)
  /// The most sessions that are offered.
  private static let sessionLimit = 500

  let session: ServerSession
  private let api: IntentAPIClient
  /// Whether messages are kept for later chats.
  private let keepsHistory: Bool
  private let context: Services
  /// Sent when a message needs a stream of the ended session.
  private let wakeSignal = WakeSignal()

  /// Opens a conversation in a session.
  ///
  /// - Throws: `OppiError` if a setting is invalid, or no connection to the server can be configured.
  init(
    _ session: ServerSession,
    _ settings: ConfigFile.Settings,
    in context: Services
  ) async throws {
    (self.session, self.context) = (session, context)
    keepsHistory = try settings.valueInEffect(of: .history) == BooleanSetting.true
    api = try await context.connections.client(for: session.server)
  }

  /// What asks a human on the session's server.
  var requests: Dialect.Requests { session.server.dialect?.requests ?? .permissions }

  /// The messages of earlier chats, if they are kept.
  var history: [String] { keepsHistory ? context.messageHistory.usable()?.messages ?? [] : [] }

  /// The server's models as last listed on this machine.
  var models: [LanguageModel] { context.modelCatalog.lists()[session.server.id] ?? [] }

  private var deadline: EventLoop.Instant { api.loop.now + Self.limit }

  /// Reports the steps of the session until the task is cancelled; the text of a message is only in
  /// the changes.
  ///
  /// With `readingFirst`, its last turns are reported first.
  ///
  /// - Throws: `OppiError` if the session can never be followed.
  func follow(readingFirst: Bool, _ report: (ChatNews) -> Void) async throws {
    if readingFirst { report(.page(await page(.turns(before: nil)))) }
    let feed = SessionFeed(api: api, session: session, timeout: nil, wokenBy: wakeSignal)
    var follower = TurnFollower(feed: feed)
    do {
      while !Task.isCancelled {
        guard let step = try await follower.next(until: nil) else { continue }
        await api.recorder?.remember(listed: step.needs, of: session.id)
        var activity = follower.activity
        // While a chat holds the text, each piece would copy all of it.
        activity.text = ""
        report(.step(step, activity, follower.feed.stream))
      }
    } catch {
      await follower.feed.close()
      if !Task.isCancelled { throw error }
    }
    await follower.feed.close()
  }

  // MARK: - Effects

  /// Performs an effect over the present stream, and returns its news, if any.
  func perform(_ effect: ChatEffect, over stream: IntentWebSocket?) async -> ChatNews? {
    switch effect {
    case .deliver(.perform(let action, let workspaceID, let id)):
      var session = session
      session.workspaceID = session.workspaceID ?? workspaceID
      do {
        return try await api.within(Self.limit).perform(action, in: session, over: stream)
          .map { .delivery($0, for: id) }
      } catch {
        // The feed reports a broken stream.
        guard case .look = action else { break }
        return .delivery(PromptDelivery.Event(failure: error), for: id)
      }
    case .deliver(.reopen):
      if let stream { await stream.close() } else { wakeSignal.send() }
    case .stopTurn:
      return await performed(.stop) { () async throws(OppiError) in
        try await StopTurn(api: api).stopTurn(of: session).notice
      }
    case .reply(let reply, let request): return await send(reply, to: request, over: stream)
    case .change(let message, let id):
      return await performed(.change(id: id)) { () async throws(OppiError) in
        try await change(message, id: id, over: stream)
        return nil
      }
    case .remember(let text):
      guard keepsHistory else { break }
      // The message is sent even if it cannot be stored.
      await context.files.attemptWaiting { () async throws(FileError) in
        try await context.messageHistory.update { $0.add(text) }
      }
    case .list(let list): return await news(of: list, over: stream)
    case .attach(let file):
      do {
        return .attached(.success(try await image(in: file, over: stream)), id: file.id)
      } catch {
        return .attached(.failure(OppiError(error)), id: file.id)
      }
    case .export(let file):
      return await performed(.export) { () async throws(OppiError) in
        try await export(to: file)
      }
    case .read(let reading): return .page(await page(reading))
    case .readRequestContext: return .requestContext(await requestContext)
    case .deliver(.report), .say, .print, .printMessage, .giveBack, .insert, .leave, .help, .choose,
      .open:
      break
    }
    return nil
  }

  /// Requests a list; a failure is not worth a notice.
  private func news(of list: CompletionList, over stream: IntentWebSocket?) async -> ChatNews? {
    switch list {
    case .commands(let id):
      try? await change(.getCommands, id: id, over: stream)
      return nil
    case .files:
      guard let id = try? await api.located(session).workspaceID else { return .files(nil) }
      return .files(try? await api.within(Self.limit).filePaths(ofWorkspace: id))
    case .sessions:
      let sessions = (try? await api.within(Self.limit).listSessions()) ?? []
      let latest = sessions.sorted { $0.lastActivity > $1.lastActivity }
      return .sessions(Array(latest.prefix(Self.sessionLimit)))
    }
  }

  private func performed(
    _ kind: ChatResult.Kind,
    _ body: () async throws(OppiError) -> String?
  ) async -> ChatNews {
    do {
      return .performed(ChatResult(kind: kind, text: try await body()))
    } catch {
      return .performed(ChatResult(kind, failure: error))
    }
  }

  /// Replies to a request as it was shown.
  private func send(
    _ reply: RequestReply,
    to request: HumanRequest,
    over stream: IntentWebSocket?
  ) async -> ChatNews {
    let (server, sessionID) = (session.server, session.id)
    let flow = ReplyToRequest(reply, to: request, of: sessionID, on: server, api: api) {
      (message, id, _) async throws(OppiError) in
      try await change(message, id: id, over: stream)
    }
    let kind = ChatResult.Kind.answer(id: request.id)
    do {
      let outcome = try await flow.send(asShown: true)
      var result = ChatResult(kind: kind, text: outcome.notice(of: reply))
      result.line = reply.line(about: request, outcome, at: context.now())
      switch outcome {
      case .decided, .unconfirmed: break
      case .tooLate: result.outcome = .tooLate
      case .changed: result.outcome = .failed
      case .unknown: result.outcome = .unknown
      }
      if outcome == .changed {
        let pending = try? await api.within(Self.limit).pending(as: request, in: sessionID)
        result.present = pending?.first { $0.sessionID == sessionID }
      }
      return .performed(result)
    } catch {
      return .performed(ChatResult(kind, failure: error))
    }
  }

  /// Sends a change of the session under `id`, which the server's result repeats.
  private func change(
    _ message: ClientMessage,
    id: String,
    over stream: IntentWebSocket?
  ) async throws(OppiError) {
    guard let stream else { throw .hungUp(server: session.server.name) }
    try await stream.send([.init(message, id: id)], to: session.id, until: deadline)
  }

  /// What a user should know when deciding a request.
  private var requestContext: RequestContext {
    get async {
      let listing = await context.cache.load()[session.server.id]
      let workspace = listing?.workspaces.first { $0.id == session.workspaceID }
      let offset = try? await api.within(Self.limit).pendingPermissions().clockOffset
      return RequestContext(clockOffset: offset, folder: workspace?.folder)
    }
  }

  /// The session with its workspace.
  func located() async throws(OppiError) -> ServerSession { try await api.located(session) }

  /// The path of a file that the user named; a relative one is below the current folder.
  private func path(of file: String) -> String {
    let place = context.workingDirectory()
    let folder = place.paths.first.map { $0.text(home: "") } ?? "."
    return file.hasPrefix("~/")
      ? place.home + file.dropFirst() : file.hasPrefix("/") ? file : "\(folder)/\(file)"
  }

  /// Reads an image, and uploads it if the server takes images before the prompt.
  private func image(
    in file: ImageFile,
    over stream: IntentWebSocket?
  ) async throws -> ChatImage {
    let path = path(of: file.path)
    let bytes =
      try await context.contents(of: path, limit: Prompt.messageLimit, until: deadline)
    let content = try ImageAttachment(contents: bytes, of: path)
    var image = ChatImage(name: file.name, content: content)
    let kind = stream?.kind ?? session.server.dialect?.stream
    guard kind?.uploadsImages == true else { return image }
    try await api.checkUploads(of: file.sizesBefore + [bytes.count], until: deadline)
    let session = try await located()
    image.upload =
      try await api.upload([content], numberedFrom: file.number, to: session).first
    return image
  }

  /// Writes the conversation to a new file.
  private func export(to file: String) async throws(OppiError) -> String {
    let path = path(of: file)
    let text = try await ReadConversation(api: api).markdown(of: located())
    do throws(FileError) {
      try context.files.create(path, with: Array(text.utf8))
    } catch {
      throw OppiError(error)
    }
    return "exported to \(path.safeLine())"
  }

  /// Reads a part of the conversation in its current state.
  func page(_ reading: ChatReading) async -> ChatPage {
    let now = context.now()
    do {
      let session = try await api.located(session)
      let reader = ReadConversation(api: api)
      let transcript = try await reader.read(session).transcript
      switch reading {
      case .turns(let number):
        let turns = transcript.turns(last: ChatReading.turnCount, before: number)
        guard !turns.isEmpty else { return .nothing("no earlier turns") }
        return .turns(turns.fitting(), at: now)
      case .call(let number):
        let call = try await reader.call(number, of: transcript, in: session)
        return call.map(ChatPage.call) ?? .nothing("no call \(number); /show lists all calls")
      case .lastEdit:
        let edit = try await reader.turns(ChatReading.editTurns, of: transcript).lastEdit
        return edit.map(ChatPage.call) ?? .nothing("no edit in the last turns")
      }
    } catch {
      return .nothing("cannot read the conversation: \(OppiError(error).message)")
    }
  }

  // MARK: - The end

  /// Deletes the session if the server still has no message in it, and restores what was last used
  /// before it.
  ///
  /// - Parameter lastUsed: What was last used before the session was opened; `nil` if unknown.
  /// - Returns: Whether the session was deleted.
  func deleteUnused(after lastUsed: LastUsed?) async -> Bool {
    guard (try? await deleteIfEmpty()) == true else { return false }
    if let lastUsed, let last = try? context.history.lastUsed(),
      last.sessionID == session.id, last.workspace.serverID == session.server.id
    {
      try? await context.history.use(lastUsed)
    }
    return true
  }

  private func deleteIfEmpty() async throws(OppiError) -> Bool {
    guard let workspaceID = session.workspaceID else { return false }
    return try await api.within(Self.limit).deleteUnused(session.id, workspaceID: workspaceID)
  }
}

extension SessionNews {
  /// The user input that it requires.
  fileprivate var needs: [HumanRequest] {
    switch self {
    case .changes(let changes, of: _), .past(let changes): changes.compactMap(\.need)
    case .caughtUp, .renewing, .lost, .givenUp: []
    }
  }
}

extension ChatResult {
  fileprivate init(_ kind: Kind, failure error: OppiError) {
    self.init(kind: kind, text: "failed: \(error.message)", outcome: .failed)
  }
}

extension StopTurn.Outcome {
  fileprivate var notice: String? {
    switch self {
    case .alreadyIdle: "no turn is running"
    case .failed(let reason): "the turn did not stop: \(reason.safeLine())"
    case .stopped, .sessionEnded: nil
    }
  }
}

/// What a user should know when deciding a request.
struct RequestContext: Sendable, Equatable {
  /// How far the server's clock is ahead; `nil` if the server does not report its time.
  var clockOffset: Duration?
  /// The workspace's folder on the server's machine, safe to show; `nil` if unknown.
  var folder: String?
}

/// A part of the conversation to show again.
enum ChatReading: Sendable, Equatable {
  /// The last turns, or the last turns before the turn with a number.
  case turns(before: Int?)
  /// The call with a number, with its full output.
  case call(Int)
  case lastEdit

  /// The number of the last turns in which an edit is looked for.
  static let editTurns = 50
  /// The maximum number of turns that are shown at once.
  static let turnCount = 3
  /// The maximum size of the turns that are shown at once; a single larger turn is shown alone.
  static let sizeLimit = 128 << 10
}

/// The result of reading a part of a conversation.
enum ChatPage: Sendable {
  /// Turns, the oldest first, in their state at a time.
  case turns([Turn], at: Timestamp)
  case call(ToolCallActivity)
  /// Has the reason, safe to show.
  case nothing(String)
}

extension [Turn] {
  /// The last turns that fit into the size limit, at least one.
  fileprivate func fitting() -> [Turn] {
    var size = 0
    return reversed().prefix { turn in
      defer { size += turn.size }
      return size == 0 || size + turn.size <= ChatReading.sizeLimit
    }
    .reversed()
  }
}
