// SPDX-License-Identifier: MIT

import CommandTable
import EventLoop
import OppiIntents
import OppiModel
import OppiSystem
import OppiTransport

/// `oppi chat`: a conversation in the terminal.
enum Chat {
  struct Options: Sendable, Equatable {
    var session: SessionName?
    var workspace: String?
  }

  static let command = Command(
    "chat",
    "Talk with an agent in the terminal",
    discussion: """
      Type a message and press Enter. Alt-Enter or Ctrl-J makes a new line, Ctrl-G opens $EDITOR, \
      and several lines may be pasted. While the agent works, Enter queues the message behind its \
      turn, and Tab changes to steering it at once.

      A request for approval is shown whole, character by character, in place of your message, \
      which is kept. A letter or an arrow selects - allow once, allow for this session, deny, deny \
      with a reason - and Enter confirms; nothing is selected at first, and nothing can be allowed \
      before its end was on the screen. What you type goes to your message: the request takes no \
      key before you have rested for a second. Esc goes back to the message and to the request \
      again. A question is answered by typing the number of a choice, y, n or text, and Enter.

      Ctrl-C stops the turn, Ctrl-D leaves; the agent works on without you. On a terminal that can \
      only print, a request has a number, and 'allow 1', 'allow 1 session', 'deny 1' or \
      'deny 1 REASON' decides on it.

      Without -s it is a new session in the workspace of -w, or where 'oppi new' would open one.
      """,
    examples: [
      CommandExample("oppi chat", "A new session where you were last"),
      CommandExample("oppi chat -s last", "Go on with what was asked last"),
    ],
    exitStatuses: [0, 64, 66, 69, 75, 76, 77, 78],
    members: ServerSession.shape.rows,
    group: Group.watching,
    options: Options(),
    arguments: [
      .option(
        "session",
        short: "s",
        completion: .dynamic("session"),
        \.session,
        "Go on in this session"
      ),
      .option(
        "workspace",
        short: "w",
        placeholder: "WORKSPACE",
        completion: .dynamic("workspace"),
        \.workspace,
        "Open a new session in this workspace"
      ),
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
    let session: ServerSession
    if let name = options.session {
      session = try await context.session(named: name)
    } else {
      let opening = try context.openNewSession()
      session = try await opening.open(
        in: try await opening.workspace(named: options.workspace, on: try context.servers())
      )
    }
    try await ChatRoom(session: session, context: context).run()
    return Report(ServerSession.shape.document(of: session))
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
    .object("server", "The server", ServerRow.nameShape) { $0.server },
  ]
}
