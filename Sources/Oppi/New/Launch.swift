// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel
import OppiRendering
import OppiSystem
import OppiTransport

/// `oppi launch`: creates the session for `oppi new`.
enum Launch {
  struct Options: Sendable, Equatable {
    var printsSession = false
  }

  static let command: Command = Command(
    "launch",
    "Create the session for 'oppi new'",
    discussion: """
      Creates the session in the workspace of the launch target, and opens it in a chat. A target \
      is used only once, even by two simultaneous launches. A target older than 60 s is discarded.
      """,
    examples: [
      CommandExample("oppi launch --print", "Create the session for another app")
    ],
    exitStatuses: [0, 6, 64, 66, 69, 75, 76, 77, 78],
    members: Chat.End.shape.rows,
    group: Group.asking,
    isListed: false,
    options: Options(),
    arguments: [
      .flag("print", \.printsSession, "Print the session id without opening a chat")
    ],
    run: run
  )

  static func run(_ options: Options, in context: Context) async throws -> Report {
    // Without a terminal, the command must not use up the target.
    if !options.printsSession { try ChatTerminal.require(in: context) }
    let store = context.launchTargets
    for abandoned in store.takeAbandoned() {
      switch abandoned {
      case .success(let target):
        let workspace = target.workspace.workspaceID
        await context.console.warn("an earlier launch in \(workspace) did not create its session")
      case .failure(let error):
        let why = OppiError(error).message
        await context.console.warn("an earlier launch did not create its session: \(why)")
      }
    }
    // If it cannot be read, it cannot be restored either.
    let lastUsed = try? context.lastUsed.load()
    let opening = try context.openNewSession()
    let settings = try await Config.load(in: context)
    let claim = try opening.claim(from: store)
    let own = try await context.settings(settings, in: claim.target.workspace)
    let wishes = try ChatWishes(own)
    let session = try await opening.open(in: claim.target.workspace, wishes)
    claim.settle()
    guard options.printsSession else {
      return try await Chat.talk(inNew: session, wishes, after: lastUsed, settings, in: context)
    }
    return Report(Chat.End.shape.document(of: Chat.End(session: session)), .text(session.id))
  }
}
