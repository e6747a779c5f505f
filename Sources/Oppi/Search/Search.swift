// SPDX-License-Identifier: MIT

import CommandTable
import OppiClient
import OppiModel
import OppiTerminal
import OppiText
import OppiWire

/// `oppi search`: finds sessions by their text.
enum Search {
  struct Options: Sendable, Equatable {
    var words: [String] = []
    var workspace: String?
    var limit = 20
  }

  private struct Hit {
    var server: PairedServer
    var result: SearchResult

    var session: Session { result.session }
  }

  static let command: Command = Command(
    "search",
    "Search the text of sessions",
    discussion: """
      Each paired server searches its own sessions, including ended ones; the best matches come \
      first. Text that is written while a server runs may be found only after the server restarts. \
      Servers older than March 2026, and servers without a search index, cannot search; this is a \
      warning, and a failure only if no other server can search.

      On a narrow terminal the age and the id are omitted first; --json and a pipe have everything.

      In a pipe each line has, separated by tabs: server/id, workspace, last activity, goal, and \
      matching text.
      """,
    examples: [
      ("oppi search flaky test", "Find sessions about a flaky test"),
      ("oppi search --limit 1 deploy | cut -f1 | xargs oppi show", "Show the best match"),
    ],
    exitStatuses: [0, 64, 65, 66, 69, 75, 76, 77, 78],
    group: Group.watching,
    options: Options(),
    arguments: [
      .workspace(\.workspace, "Only sessions of this workspace"),
      .option("limit", placeholder: "N", \.limit, "Show at most N sessions, up to 100"),
      .positional("text", required: true, \.words, "The text to search for"),
    ],
    validate: { (options) throws(UsageError) in
      guard (1...100).contains(options.limit) else {
        throw UsageError(.custom("--limit expects 1 to 100"))
      }
    },
    run: run
  )
  .listing([list])

  private static let list = Listing<Hit>(
    "search",
    formerly: "sessions",
    "The sessions, the best match first",
    [
      .text("id", "The session's id") { $0.session.id },
      .text("goal", "Its name, else the start of its first message, or null") { $0.session.goal },
      .workspace { WorkspaceLabel($0.session, on: $0.server) },
      .server { $0.server },
      .text("lastActivity", "When it was last active") { $0.session.lastActivity.iso8601 },
      .text("snippet", "The text around the first match") {
        $0.result.snippet.map(\.text).joined()
      },
      .texts("matches", "The parts of snippet that match") {
        $0.result.snippet.filter(\.isMatch).map(\.text)
      },
    ],
    columns: [
      .text("ID", .detail(2), .name) { $0.session.id },
      .server { $0.server.name },
      .text("WORKSPACE", .context) { $0.session.workspaceName },
      .age(.detail(1)) { $0.session.lastActivity },
      .text("TITLE", .decides) { $0.session.goal },
      .cell("MATCH", .decides) { hit, _ in hit.result.match },
    ],
    pipe: [
      .text { $0.server.qualified($0.session.id) }, "workspace.name", "lastActivity", "goal",
      "snippet",
    ]
  )

  static func run(_ options: Options, in context: Context) async throws -> Report {
    let (fleet, workspace) = try await context.fleet(inWorkspace: options.workspace)
    let text = options.words.joined(separator: " ")
    guard !text.allSatisfy(\.isWhitespace) else {
      throw OppiError(.badInput, "the text to search for is empty")
    }
    let answers = try await fleet.answers { (calls, _) throws(OppiError) in
      try await calls.search(
        text,
        workspaceID: workspace?.workspace.id,
        limit: options.limit
      )
    }
    let hits = answers.flatMap { answer in
      ((answer.value ?? nil) ?? []).map { Hit(server: answer.server, result: $0) }
    }
    .sorted { $0.result.rank < $1.result.rank }
    let failures = FleetFailures(answers) { $0.searchError }
    return list.report(
      Array(hits.prefix(options.limit)),
      in: context,
      isOnlyServer: try context.servers().count == 1,
      status: hits.isEmpty && failures.hasAnswer ? "no matches" : nil,
      notes: failures.notes,
      failure: failures.failure
    )
  }
}

extension SearchResult {
  /// The text around the first match, in which the matches stand out.
  var match: StyledText {
    snippet.reduce(into: StyledText()) { line, piece in
      line.append(piece.text, piece.isMatch ? .strong : .dim)
    }
  }
}

extension Fleet.Answer where Value == [SearchResult]? {
  /// Why the server did not search; `nil` if it did.
  fileprivate var searchError: OppiError? {
    switch result {
    // As all servers from before March 2026; session sockets came later.
    case .success(nil):
      OppiError(
        .serverError,
        "\(server.name) does not support search"
          + (server.dialect?.stream == .session ? "" : "; it is older than March 2026"),
        hints: ["update the server"]
      )
    case .failure(let error) where error.refusedStatus == 503:
      OppiError(
        .serverError,
        "\(server.name) has no search index",
        hints: ["its log may say why; restart it to try again"]
      )
    default: error
    }
  }
}
