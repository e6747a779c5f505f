// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiSystem
import OppiTerminal

/// Reads and stops sessions of the console, replies to their requests, and sends them messages.
///
/// Each function throws an `OppiError` if the server cannot be queried or is no longer paired;
/// `FileError`.
struct ConsoleSessions: Sendable {
  private let context: IntentContext

  init(in context: IntentContext) { self.context = context }

  /// The last turns of a session; starts no agent.
  func turns(_ count: Int, of id: BoardSession.ID) async throws -> [Turn] {
    let (session, api) = try await located(id)
    let reading = ReadConversation(api: api)
    let conversation = try await reading.read(session)
    return try await reading.turns(count, of: conversation.transcript)
  }

  /// Stops the running turn of a session; the session stays.
  func stop(_ id: BoardSession.ID) async throws -> StopTurn.Outcome {
    let (session, api) = try await opened(id)
    return try await StopTurn(api: api, timeout: context.timeout).stopTurn(of: session)
  }

  /// Replies to a request as it was shown, if it is still pending and unchanged.
  func reply(
    _ reply: RequestReply,
    to request: ListedRequest
  ) async -> Result<DecisionOutcome, any Error> {
    await context.reply(reply, to: request.request, of: request.id.serverID)
  }

  /// Sends a message to a session; while the agent works, the message is queued behind its turn.
  ///
  /// - Throws: `AskFailure` if the agent is not known to have the message.
  func send(_ text: String, to id: BoardSession.ID) async throws {
    let session = try await located(id).session
    let prompt = Prompt(text, clientTurnID: context.loop.newID())
    _ = try await context.deliver(AskRequest(prompt, to: .session(session)))
  }

  /// The session on its server, with its workspace.
  func located(
    _ id: BoardSession.ID
  ) async throws -> (session: ServerSession, api: IntentAPIClient) {
    let (session, api) = try await opened(id)
    return (try await api.located(session), api)
  }

  private func opened(_ id: BoardSession.ID) async throws -> (ServerSession, IntentAPIClient) {
    let session = ServerSession(server: try context.server(id.serverID), id: id.sessionID)
    return (session, try await context.connections.client(for: session.server))
  }
}

/// A message to a session, while it is typed.
///
/// Enter sends nothing within a second after the field appeared: keys that were typed ahead were
/// meant for what was on the screen before.
struct ReplyField: ListPage {
  static let tooEarlyNotice =
    "not sent: the session changed; check it and press Enter again"

  private let id: BoardSession.ID
  /// The session as a search found it, which may be too old to be listed.
  private let found: BoardSession?
  private var composer = Composer()
  private var shownAt: Duration?
  private var size = ScreenSize(columns: 80, rows: 20)

  /// `draft` is an earlier message that was not sent.
  init(to id: BoardSession.ID, _ found: BoardSession?, draft: String?) {
    (self.id, self.found) = (id, found)
    if let draft { composer.replace(draft) }
  }

  var hints: [KeyHint] {
    [
      KeyHint(keys: "Enter", label: "send"),
      KeyHint(keys: "Alt-Enter", label: "new line"),
      KeyHint(keys: "Esc", label: "cancel"),
    ]
  }

  mutating func wasShown(at now: Duration) { shownAt = shownAt ?? now }

  /// After a stop of the program or another tab, the field counts as new.
  mutating func isShownAgain() { shownAt = nil }

  mutating func take(
    _ key: Key,
    at pressed: Duration,
    in model: inout ConsoleModel
  ) -> PageOutcome {
    guard key != .escape, key != .control("c") else {
      return .returns(.draft(composer.text, for: id))
    }
    let isSeen = shownAt.map { pressed >= $0 + ApprovalPolicy.typingPause } ?? false
    guard key != .enter || isSeen else {
      model.note = Self.tooEarlyNotice
      return .stays()
    }
    guard case .send(let text)? = composer.apply(key) else { return .stays() }
    return .closes([.send(text, to: id)])
  }

  mutating func fit(_ size: ScreenSize, _ model: ConsoleModel) { self.size = size }

  /// The field below the session that gets the message.
  func view(in model: ConsoleModel) -> ScreenBlock {
    let session = model.board.session(id) ?? found
    let place = session.map { WorkRows.place(of: $0) } ?? id.sessionID
    var lines = [StyledText("Message to \(place)", .heading)]
    if let session {
      lines += WorkRows.summary(of: session, width: size.columns, at: model.now)
    }
    if session?.phase == .running {
      lines.append(StyledText("queued behind the running turn", .dim))
    }
    let text = composer.layout(
      width: size.columns,
      prompt: StyledText("› ", .name),
      maxRows: max(1, size.rows / 2)
    )
    lines = Array(lines.prefix(max(0, size.rows - text.lines.count)))
    return ScreenBlock(
      lines: lines + text.lines,
      cursor: (lines.count + text.cursor.row, text.cursor.column)
    )
  }
}

/// Messages that were not sent, by session; none replaces another.
struct UnsentTexts: Sendable {
  private var texts: [BoardSession.ID: String] = [:]

  subscript(id: BoardSession.ID) -> String? { texts[id] }

  /// Adds a text below those that the session has already.
  mutating func keep(_ text: String, for id: BoardSession.ID) {
    guard !text.isEmpty else { return }
    texts[id] = texts[id].map { "\($0)\n\(text)" } ?? text
  }

  /// Removes and returns the text of a session.
  mutating func take(_ id: BoardSession.ID) -> String? { texts.removeValue(forKey: id) }
}
