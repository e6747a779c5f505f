// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiRendering
import OppiSystem

/// Replies to requests of the console, and sends messages to sessions.
struct ConsoleReply: Sendable {
  private let context: IntentContext

  init(in context: IntentContext) { self.context = context }

  /// Replies to a request as it was shown, if it is still pending and unchanged.
  func reply(
    _ reply: RequestReply,
    to request: BoardRequest
  ) async -> Result<DecisionOutcome, any Error> {
    await DecideNamed(reply, in: context).decide(asShown: request.request, of: request.id.serverID)
  }

  /// Sends a message to a session; while the agent works, the message is queued behind its turn.
  ///
  /// - Throws: `AskFailure` if the agent is not known to have the message; else as ``located(_:)``.
  func send(_ text: String, to session: BoardSession.ID) async throws {
    let target = try await located(session)
    let prompt = Prompt(text, clientTurnID: context.loop.newID())
    let request = AskRequest(prompt, to: .session(target))
    _ = try await context.deliver(request)
  }

  /// The session on its server, with its workspace.
  ///
  /// - Throws: As ``session(_:)``; `OppiError` if the server cannot be queried, or does not know it.
  func located(_ id: BoardSession.ID) async throws -> ServerSession {
    let found = try session(id)
    let api = try await context.connections.client(for: found.server)
    return try await api.located(found)
  }

  /// The session on its server.
  ///
  /// - Throws: ``OppiError`` if the server is no longer paired; `FileError`.
  func session(_ id: BoardSession.ID) throws -> ServerSession {
    let servers = try context.serverStore.load().servers
    guard let server = servers.first(where: { $0.id == id.serverID }) else {
      throw OppiError.serverNotPaired
    }
    return ServerSession(server: server, id: id.sessionID)
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
