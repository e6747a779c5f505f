// SPDX-License-Identifier: MIT

import OppiModel
import OppiRendering
import OppiSystem

/// `oppi approvals --decide`: marks requests on the full screen, then sends the replies.
enum ApprovalsDecide {
  static func run(in context: Context) async throws -> Report {
    guard context.console.policy.destination.isConversation else {
      throw OppiError.decidingNeedsTerminal
    }
    let context = try context.applying(await Config.load(in: context))
    guard context.console.policy.canDraw else { throw OppiError.decidingNeedsScreen }
    let servers = try context.servers()
    guard !servers.isEmpty else { throw IntentError.notPaired }
    let marks = try await marks(on: servers, in: context)
    guard !marks.isEmpty else {
      return Report(
        Decisions.shape.document(of: Decisions()),
        status: "nothing was sent"
      )
    }
    let count = marks.count == 1 ? "1 reply" : "\(marks.count) replies"
    await context.console.status(StyledText("sending \(count)"))
    let replies = try marks.map { mark in
      (reply: mark.reply, row: try row(of: mark.request, on: servers, in: context))
    }
    return await Decisions(replies, in: context).fullReport
  }

  /// Shows the table until the user leaves; returns the marks that the user confirmed to send.
  ///
  /// The terminal is restored then.
  private static func marks(
    on servers: [PairedServer],
    in context: Context
  ) async throws -> [BatchMarks.Mark] {
    let screen = ConsoleScreen(
      named: "oppi approvals",
      tabs: [BatchTab()],
      selected: 0,
      isReadOnly: false,
      now: context.now()
    )
    let end = try await ConsoleLoop(servers, in: context).run(screen)
    return (end.tabs.first as? BatchTab)?.confirmed ?? []
  }

  /// - Throws: ``ApprovalError`` if the server is no longer paired; `FileError`.
  private static func row(
    of request: BoardRequest,
    on servers: [PairedServer],
    in context: Context
  ) throws -> ListedRequest {
    let id = request.id.serverID
    let present = try context.intents.serverStore.load().servers
    guard let server = (present + servers).first(where: { $0.id == id }) else {
      throw ApprovalError.serverNotPaired
    }
    return ListedRequest(
      server: server,
      request: request.request,
      approval: request.approval,
      patience: request.patience,
      now: context.now()
    )
  }
}

extension OppiError {
  private static let sameByLines = [
    "read a request with: oppi approvals, oppi approvals show ID",
    "decide it with: oppi approve ID, oppi deny ID",
  ]

  static let decidingNeedsTerminal = OppiError(
    .usage,
    "--decide requires a terminal",
    hints: sameByLines
  )

  static let decidingNeedsScreen = OppiError(
    .usage,
    "--decide requires a terminal with cursor control, and draws on it",
    hints: sameByLines
  )
}
