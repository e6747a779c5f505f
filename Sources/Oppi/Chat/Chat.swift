// SPDX-License-Identifier: MIT

import CommandTable
import OppiClient
import OppiSystem
import OppiTerminal
import OppiText
import OppiTurns
import OppiWire

/// `oppi chat`: a conversation in the terminal.
enum Chat {
  struct Options: Sendable, Equatable {
    var session: SessionName?
    var workspace: String?
  }

  static let command: Command = Command(
    "chat",
    "Chat with an agent in the terminal",
    discussion: """
      Type a message and press Enter. Alt-Enter or Ctrl-J inserts a line break, Ctrl-G opens \
      your editor, Ctrl-R searches earlier messages, Ctrl-_ undoes. Several pasted lines are shown \
      as a placeholder with their number and are sent in full; Ctrl-O shows them. While the agent \
      works, Enter queues the message behind its turn; Tab switches between queueing and steering \
      the running turn. A message stays below the conversation until the server accepts it. /help \
      lists the commands of the chat and the keys: /new and /resume open another session, \
      /diff shows the last edit, /export writes the conversation to a file. An unknown command is \
      sent to the agent only after a second Enter.

      /image FILE attaches a PNG, JPEG, GIF or WebP file to the next message, and so does dropping \
      the file on the window, if the terminal pastes its path; /image alone removes it. The file is \
      read on this machine. Servers since May 2026 get it at once, older ones with the message.

      A / at the start offers the commands of the chat and of the agent, an @ the files of the \
      workspace. Typing narrows the list, Tab takes the first entry, arrows choose another one for \
      Tab or Enter, and Esc closes the list. This changes only the draft; nothing is sent.

      Each block of an answer and each tool call is printed as soon as it is complete; only the \
      unfinished rest is redrawn. The last lines show the agent's to-do list while it works on one, \
      and the model, the used context, the cost and the server. The window's title is that of the \
      session.

      A request for approval replaces the input line and is shown in full; your draft is kept. \
      Select with a letter or an arrow (allow once, allow for this session, deny, deny with a \
      reason) and confirm with Enter. Nothing is selected at first, and all of it must have been on \
      the screen before allowing: PageDown scrolls. While you type, keys go to your draft; pause \
      for 1 s to answer. Esc switches between the draft and the request. A question works the same \
      way: select with arrows, which first scroll to its end, or a number, or type your own text if \
      that is allowed. If several choices are allowed, a number or the space bar marks one and \
      unmarks it.

      Esc pressed twice within two seconds stops the turn, unless it closes something. Ctrl-C \
      clears the draft, then stops the turn, and exits when pressed twice within a second. Ctrl-D exits; the agent continues. The chat then waits briefly for confirmations \
      from the server, and prints the command that resumes the session. A session that was \
      created for the chat and never used is deleted.

      In the accessible mode and on a terminal without cursor control (TERM=dumb), the chat prints \
      labelled lines and reads whole lines. A request is printed in full with numbered choices; \
      only a line that is exactly a number or the text of a choice, typed at least 1 s later, \
      decides it. Until then lines are not sent as messages; /stop and the other commands work. /cancel cancels a question. See \
      'oppi help accessible'.

      Without -s a new session is created in the workspace of -w, else in the default workspace, \
      else in the last one ('oppi help workspaces'), with the model and the thinking level of the \
      settings.
      """,
    examples: [
      ("oppi chat", "Open a session in the default workspace, else in the last one"),
      ("oppi chat -s last", "Continue the last session"),
    ],
    exitStatuses: [0, 6, 64, 65, 66, 69, 75, 76, 77, 78],
    members: End.shape.rows,
    group: Group.asking,
    options: Options(),
    arguments: [
      .option(
        "session",
        short: "s",
        completion: .names(of: .session),
        \.session,
        "Continue this session"
      ),
      .workspace(\.workspace, "Open a new session in this workspace"),
    ],
    validate: { options throws(UsageError) in
      if options.session != nil, options.workspace != nil {
        throw UsageError(
          .contradiction("--workspace requires a new session; it cannot be used with --session")
        )
      }
    },
    run: run
  )

  static func run(_ options: Options, in context: Context) async throws -> Report {
    try context.requireTerminal()
    let settings = try await Config.load(in: context)
    if let name = options.session {
      return try await talk(in: try await context.session(named: name), settings, context)
    }
    // If it cannot be read, it cannot be restored either.
    let lastUsed = try? context.history.lastUsed()
    let workspace = try await context.workspaceToOpen(option: options.workspace, settings)
    let chatSettings = try ChatSettings(try await context.settings(settings, in: workspace))
    let session = try await context.openNewSession().open(in: workspace, chatSettings)
    return try await talk(in: session, created: (chatSettings, lastUsed), settings, context)
  }

  /// Runs the chat in a session.
  ///
  /// One that was `created` for the chat is deleted if no message was sent, and the previous `last`
  /// is restored. After a failure, the error names the messages that the agent is not known to have.
  static func talk(
    in session: ServerSession,
    created: (with: ChatSettings, after: LastUsed?)? = nil,
    _ settings: ConfigFile.Settings,
    _ context: Context
  ) async throws -> Report {
    let own = try context.applying(settings)
    let chat = try await ChatSession(session, settings, in: own.services)
    let (state, failure) = try await converse(in: chat, created?.with, settings, own)
    var end = End(session: session)
    if let failure {
      let loss = end.report(of: state).failure
      guard !(failure is CancellationError), var loss else { throw failure }
      loss.message = "\(OppiError(failure).message); \(loss.message)"
      throw loss
    }
    if let created, !state.hasTalked, await chat.deleteUnused(after: created.after) {
      end.isDeleted = true
      await context.output.status(StyledText("no message was sent; the session is deleted"))
    } else {
      await context.output.status(end.farewell)
    }
    let report = end.report(of: state)
    guard let next = state.next else { return report }
    if let failure = report.failure {
      await context.output.warn(([failure.message] + failure.hints).joined(separator: "; "))
    }
    return try await talk(in: next.session, created: next.created, settings, context)
  }

  struct End: Sendable {
    let session: ServerSession
    var isDeleted = false

    static let shape: JSONShape<End> = [
      .member("sessionId", "The session") { .string($0.session.id) },
      .server { $0.session.server },
      .bool("deleted", "Whether the session was deleted because no message was sent") {
        $0.isDeleted
      },
    ]

    /// How to return to the session.
    var farewell: StyledText {
      // A value that begins with a hyphen would be an option.
      let option = session.id.hasPrefix("-") ? "--session=" : "-s "
      return StyledText("resume with: ").with(
        StyledText("oppi chat \(option)\(session.id)", .code)
      )
    }

    /// The report; fails if the agent is not known to have all messages.
    func report(of state: ChatState) -> Report {
      var report = Report(Self.shape.document(of: self))
      report.failure = OppiError(undelivered: state.mail.outgoing, in: session.id)
      if report.failure == nil, state.hasUnknown {
        report.failure = OppiError(
          .deliveryUnknown,
          "could not confirm your last decision, answer or stop",
          hints: ["check the session with: oppi chat --session=\(session.id)"]
        )
      }
      return report
    }
  }
}

/// An open conversation on a terminal.
extension Chat {
  /// Runs the conversation until the user leaves it; `chatSettings` are those of a new session.
  ///
  /// - Returns: The final state, and why the conversation ended if the session can never be followed.
  /// - Throws: If the terminal cannot be used.
  private static func converse(
    in chat: ChatSession,
    _ chatSettings: ChatSettings?,
    _ settings: ConfigFile.Settings,
    _ context: Context
  ) async throws -> (state: ChatState, failure: (any Error)?) {
    await context.inWords.announceMode()
    await context.output.status(context.introduction(of: chat.session))
    var state = ChatState(sessionID: chat.session.id, requests: chat.requests) {
      [loop = context.loop] in loop.newID()
    }
    (state.models, state.server) = (chat.models, chat.session.server.name)
    state.canOpen = true
    state.moment = { [loop = context.loop] in loop.timestamp() }
    state.chatSettings = chatSettings ?? ChatSettings()
    let isResumed = chatSettings == nil
    let opener: @Sendable (ChatOpening) async -> Result<ChatDestination, OppiError> = {
      await open($0, from: chat, settings, context)
    }
    guard context.output.policy.canDraw else {
      let program = try LineProgram(in: context) { ChatLines(state, width: $0) }
      return await run(program, in: chat, isResumed: isResumed, opener) { $0.screen.state }
    }
    let screen = ChatScreen(state, history: chat.history, look: context.output.policy.look)
    let program = try TerminalProgram(screen, in: context)
    return await run(program, in: chat, isResumed: isResumed, opener) { $0.screen.state }
  }

  /// A session that is resumed may already have turns, which are then shown first.
  private static func run<Face: TerminalFace<ChatNews, ChatEffect>>(
    _ face: Face,
    in chat: ChatSession,
    isResumed: Bool,
    _ open: @escaping @Sendable (ChatOpening) async -> Result<ChatDestination, OppiError>,
    state: (Face) -> ChatState
  ) async -> (state: ChatState, failure: (any Error)?) {
    var (face, failure): (Face, (any Error)?) = (face, nil)
    let (inputs, post) = AsyncStream<TerminalInput<ChatNews>>.makeStream()
    let follow = { @Sendable in
      do {
        try await chat.follow(readingFirst: isResumed) { post.yield(.news($0)) }
      } catch {
        post.yield(.failed(error))
      }
    }
    do {
      _ = try await face.run(inputs, post, beside: [follow]) { face, effect in
        let stream = state(face).stream
        return {
          if case .open(let opening) = effect {
            post.yield(.news(.opened(await open(opening))))
          } else if let news = await chat.perform(effect, over: stream) {
            post.yield(.news(news))
          }
        }
      }
    } catch {
      failure = error
    }
    return (state(face), failure)
  }
}

extension Context {
  /// Throws unless both input and output are a terminal.
  func requireTerminal() throws(OppiError) {
    guard !output.policy.destination.isConversation else { return }
    throw OppiError(
      .usage,
      "this command requires a terminal",
      hints: ["without a terminal use: oppi ask --follow, or oppi launch --print"]
    )
  }
}

/// The messages that the user wrote in chats, in `chat-history.json`.
struct MessageHistory: ShapedRecord {
  static let countLimit = 500
  /// The size of all messages in bytes; a longer single message is not kept.
  static let sizeLimit = 256 << 10

  /// The oldest first.
  private(set) var messages: [String] = []

  static let shape = RecordShape(
    MessageHistory(),
    [.checked("messages", { $1(&$0.messages) }, .list(of: .text))]
  )

  /// Adds a message unless it equals the last one; beyond the limits, the oldest are dropped.
  mutating func add(_ message: String) {
    guard message.utf8.count <= Self.sizeLimit, messages.last != message else { return }
    messages.append(message)
    var size = 0
    let kept = messages.reversed().prefix(Self.countLimit).prefix { message in
      size += message.utf8.count
      return size <= Self.sizeLimit
    }
    messages = kept.reversed()
  }
}

extension Services {
  var messageHistory: RecordFile<MessageHistory> {
    RecordFile(
      paths.messageHistoryFile,
      in: files,
      limit: 2 << 20,
      .passing,
      reason: { _ in "messages is not a list" }
    )
  }
}
