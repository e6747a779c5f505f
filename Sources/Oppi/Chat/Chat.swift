// SPDX-License-Identifier: MIT

import CommandTable
import EventLoop
import OppiModel
import OppiSystem
import OppiTerminal
import OppiTransport

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
      lists the commands of the chat, for example /model and /name; an unknown command is sent to \
      the agent only after a second Enter.

      Each block of an answer and each tool call is printed as soon as it is complete; only the \
      unfinished rest is redrawn.

      A request for approval replaces the input line and is shown in full; your draft is kept. \
      Select with a letter or an arrow (allow once, allow for this session, deny, deny with a \
      reason) and confirm with Enter. Nothing is selected at first, and all of it must have been on \
      the screen before allowing: PageDown scrolls. While you type, keys go to your draft; pause \
      for 1 s to answer. Esc switches between the draft and the request. A question works the same \
      way: select with arrows, which first scroll to its end, or a number, or type your own text if \
      that is allowed. If several choices are allowed, a number or the space bar marks one and \
      unmarks it.

      Ctrl-C clears the draft, then stops the turn, and exits when pressed twice within a \
      second. Ctrl-D exits; the agent continues. The chat then waits briefly for confirmations \
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
    exitStatuses: [0, 6, 64, 66, 69, 75, 76, 77, 78],
    members: End.shape.rows,
    group: Group.asking,
    options: Options(),
    arguments: [
      .option(
        "session",
        short: "s",
        completion: .dynamic("session"),
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
      let session = try await context.session(named: name)
      let chat = try await ChatSession(session, settings, in: context)
      let state = try await hold(chat, isResumed: true)
      await context.output.status(End(session: session).farewell)
      return End(session: session).report(of: state)
    }
    // If it cannot be read, it cannot be restored either.
    let lastUsed = try? context.history.lastUsed()
    let workspace = try await context.workspaceToOpen(option: options.workspace, settings)
    let chatSettings = try ChatSettings(try await context.settings(settings, in: workspace))
    let session = try await context.openNewSession().open(in: workspace, chatSettings)
    return try await talk(inNew: session, chatSettings, after: lastUsed, settings, in: context)
  }

  /// Runs the chat in a session that was created for it; without a message, deletes the session and
  /// restores the previous `last`.
  static func talk(
    inNew session: ServerSession,
    _ chatSettings: ChatSettings,
    after lastUsed: AskHistoryFile.LastUsed?,
    _ settings: ConfigFile.Settings,
    in context: Context
  ) async throws -> Report {
    let chat = try await ChatSession(session, chatSettings: chatSettings, settings, in: context)
    let state = try await hold(chat)
    var end = End(session: session)
    if !state.hasTalked, await chat.room.deleteUnused(after: lastUsed) {
      end.isDeleted = true
      await context.output.status(
        StyledText("no message was sent; the session is deleted")
      )
    } else {
      await context.output.status(end.farewell)
    }
    return end.report(of: state)
  }

  /// Runs the chat; after a failure, the error names the messages that the agent is not known to
  /// have.
  private static func hold(
    _ chat: ChatSession,
    isResumed: Bool = false
  ) async throws -> ChatState {
    let (state, failure) = try await chat.run(isResumed: isResumed)
    guard let failure else { return state }
    let report = End(session: chat.room.session).report(of: state)
    guard !(failure is CancellationError), var loss = report.failure else { throw failure }
    loss.message = "\(OppiError(failure).message); \(loss.message)"
    throw loss
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

extension Context {
  /// Throws unless both input and output are a terminal.
  func requireTerminal() throws(OppiError) {
    guard !output.policy.destination.isConversation else { return }
    throw OppiError(
      .usage,
      "this command requires a terminal",
      hints: ["without a terminal use: oppi ask, or oppi launch --print"]
    )
  }
}

extension ServerSession {
  /// A session and its server.
  static let shape: JSONShape<ServerSession> = [
    .member("sessionId", "The session") { .string($0.id) },
    .server { $0.server },
  ]
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
    [.checked("messages", \.messages, .list(of: .text))]
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
