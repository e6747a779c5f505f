// SPDX-License-Identifier: MIT

import CommandTable
import EventLoop
import OppiIntents
import OppiModel
import OppiRendering
import OppiSystem
import OppiTransport

/// `oppi chat`: a conversation in the terminal.
enum Chat {
  struct Options: Sendable, Equatable {
    var session: SessionName?
    var workspace: String?
  }

  static let command: Command = Command(
    "chat",
    "Talk with an agent in the terminal",
    discussion: """
      Type a message and press Enter. Alt-Enter or Ctrl-J makes a new line, Ctrl-G opens $EDITOR, \
      Ctrl-R searches earlier messages, Ctrl-_ takes a change back, and several lines may be \
      pasted. While the agent works, Enter queues the message behind its turn, and Tab changes to \
      steering it at once. A message stands below the conversation until the server has taken it. \
      /help lists the commands of the chat, such as /model and /name.

      A request for approval is shown whole, character by character, in place of your message, \
      which is kept. A letter or an arrow selects - allow once, allow for this session, deny, deny \
      with a reason - and Enter confirms; nothing is selected at first, and nothing can be allowed \
      before its end was on the screen. What you type goes to your message: the request takes no \
      key before you have rested for a second. Esc goes back to the message and to the request \
      again. A question is answered in the same way: arrows or a number select, the space bar \
      marks where several may be chosen, and text may be typed.

      Ctrl-C clears the message, then stops the turn, and leaves when pressed again within a \
      second. Ctrl-D leaves; the agent works on without you. What the server has not confirmed by \
      then is waited for a moment. A session that was opened for the chat and never used is \
      removed again.

      On a terminal that can only print (TERM=dumb), what waits has a number, and 'allow 1', \
      'allow 1 session', 'deny 1', 'deny 1 REASON', 'answer 2 TEXT' and 'cancel 2' answer it.

      Without -s it is a new session in the workspace of -w, or where 'oppi new' would open one, \
      with the model and the thinking level that the settings have for that workspace.
      """,
    examples: [
      CommandExample("oppi chat", "A new session where you were last"),
      CommandExample("oppi chat -s last", "Go on with what was asked last"),
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
        "Go on in this session"
      ),
      .workspace(\.workspace, "Open a new session in this workspace"),
    ],
    validate: { options throws(UsageError) in
      if options.session != nil, options.workspace != nil {
        throw UsageError(
          .contradiction("--workspace is for a new session, --session for an old one")
        )
      }
    },
    run: run
  )

  static func run(_ options: Options, in context: Context) async throws -> Report {
    try ChatTerminal.require(in: context)
    let settings = try await Config.load(in: context)
    if let name = options.session {
      let session = try await context.session(named: name)
      let room = try await ChatRoom(session, settings, in: context)
      let state = try await hold(room, in: session, isResumed: true)
      return End(session: session).report(of: state)
    }
    // What cannot be read cannot be put back either.
    let lastUsed = try? context.lastUsed.load()
    let workspace = try await context.workspaceToOpen(option: options.workspace, settings)
    let wishes = try ChatWishes(try await context.settings(settings, in: workspace))
    let session = try await context.openNewSession().open(in: workspace, wishes)
    return try await talk(inNew: session, wishes, after: lastUsed, settings, in: context)
  }

  /// Talks in a session that was opened for it, which is removed again where nothing was said in it;
  /// what was used last is then what was before.
  static func talk(
    inNew session: ServerSession,
    _ wishes: ChatWishes,
    after lastUsed: LastUsedStore.LastUsed?,
    _ settings: ConfigFile.Settings,
    in context: Context
  ) async throws -> Report {
    let room = try await ChatRoom(session, wishes: wishes, settings, in: context)
    let state = try await hold(room, in: session)
    var end = End(session: session)
    if !state.hasTalked, (try? await room.link.deleteUnused()) == true {
      end.isDeleted = true
      await context.console.status(
        StyledText("Nothing was said; the session is removed again")
      )
      if let lastUsed, let last = try? context.lastUsed.load(), last.sessionID == session.id {
        try? await context.lastUsed.store(lastUsed)
      }
    }
    return end.report(of: state)
  }

  /// Holds a conversation; the error of one that breaks off names the messages that are not known to
  /// be with the agent.
  private static func hold(
    _ room: ChatRoom,
    in session: ServerSession,
    isResumed: Bool = false
  ) async throws -> ChatState {
    do {
      return try await room.run(isResumed: isResumed)
    } catch let broken as ChatRoom.Broken {
      let report = End(session: session).report(of: broken.state)
      guard !(broken.cause is CancellationError), var loss = report.failure else {
        throw broken.cause
      }
      loss.message = "\(OppiError(broken.cause).message); \(loss.message)"
      throw loss
    }
  }

  /// How a chat has ended.
  struct End: Sendable {
    let session: ServerSession
    var isDeleted = false

    static let shape: JSONShape<End> = [
      .member("sessionId", "The session") { .string($0.session.id) },
      .server { $0.session.server },
      .member("deleted", "Whether it was removed, as nothing was said in it") {
        .bool($0.isDeleted)
      },
    ]

    /// The report, which fails where messages are not known to be with the agent.
    func report(of state: ChatState) -> Report {
      var report = Report(Self.shape.document(of: self))
      report.failure = loss(of: state.mail.outgoing)
      if report.failure == nil, state.hasUnknownDeeds {
        report.failure = OppiError(
          .deliveryUnknown,
          "whether the server has your last decision, answer or stop is not known",
          hints: ["see what is there with: oppi chat --session=\(session.id)"]
        )
      }
      return report
    }

    /// Names each message that is not known to be with the agent: nothing else keeps them.
    private func loss(of outgoing: [ChatMail.Outgoing]) -> OppiError? {
      let (held, sent) = (outgoing.filter(\.isHeld), outgoing.filter { !$0.isHeld })
      func texts(_ messages: [ChatMail.Outgoing], _ words: String) -> [String] {
        messages.map { "\(words): \($0.text.safeLine(limit: 4000))" }
      }
      if let message = sent.first {
        let line = Self.line(message, outOf: sent.count)
        return OppiError(
          .deliveryUnknown,
          "whether \(line) was received is not known; it was not sent again",
          hints: texts(sent, "the message") + texts(held, "not sent") + [
            "see what is there with: oppi chat --session=\(session.id)"
          ]
        )
      }
      guard let message = held.first else { return nil }
      return OppiError(
        .serverUnreachable,
        "not sent, as the session could not be reached: \(Self.line(message, outOf: held.count))",
        hints: texts(held, "the message") + ["go on with: oppi chat --session=\(session.id)"]
      )
    }

    private static func line(_ message: ChatMail.Outgoing, outOf count: Int) -> String {
      let more = count > 1 ? " and \(count - 1) more" : ""
      return "'\(message.text.safeLine(limit: 60))'\(more)"
    }
  }
}

/// The rule for commands that talk with a person.
enum ChatTerminal {
  /// Throws where there is nobody to talk with.
  static func require(in context: Context) throws(OppiError) {
    guard context.console.policy.destination.isConversation else {
      throw OppiError(
        .usage,
        "this needs a terminal",
        hints: ["without one: oppi ask, or oppi launch --print"]
      )
    }
  }
}

extension ServerSession {
  /// A session with the server that it is on.
  static let shape: JSONShape<ServerSession> = [
    .member("sessionId", "The session") { .string($0.id) },
    .server { $0.server },
  ]
}
