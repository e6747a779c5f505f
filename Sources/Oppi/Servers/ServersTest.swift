// SPDX-License-Identifier: MIT

import CommandTable
import OppiClient
import OppiTerminal
import OppiText
import OppiWire

/// `oppi servers test`: tests whether servers are reachable and accept their tokens.
enum ServersTest {
  struct Options: Sendable, Equatable {
    var name: String?
  }

  static let command: Command = Command(
    "test",
    "Test the connections to the paired servers",
    discussion: """
      A server that has refused this machine is asked again; other commands do not ask it until \
      it is paired again or a test succeeds. In a pipe each line has, separated by tabs: name, ok \
      or failed, elapsed time, and error.
      """,
    exitStatuses: [0, 69, 75, 76, 77, 78],
    options: Options(),
    arguments: [
      .positional("name", completion: .names(of: .server), \.name, "Test only this server")
    ],
    run: run
  )
  .listing([list])

  private static let list = Listing<Fleet.Answer<ServerInfo?>>(
    "test",
    formerly: "servers",
    "The tested servers",
    [
      .text("id", "Its identity") { $0.server.id.text },
      .text("name", "Its local name") { $0.server.name },
      .bool("ok", "Whether the server accepted the token") { $0.error == nil },
      .number("elapsedMs", "The elapsed time") { $0.elapsed.milliseconds },
      .member("error", "The error, if any: code, message, hints, status") {
        $0.error?.json["error"]
      },
    ],
    columns: [
      .text("NAME", .kept, .name) { $0.server.name },
      .cell("RESULT", .kept) { answer, _ in
        answer.error == nil ? StyledText("ok", .success) : StyledText("failed", .error)
      },
      .text("TIME", .detail(1), .dim) { "\($0.elapsed.milliseconds) ms" },
      .text("ERROR", .decides) { $0.error?.message },
    ]
  )

  static func run(_ options: Options, in context: Context) async throws -> Report {
    let servers = try context.pairedServers(named: options.name)
    let limit = context.options.timeout ?? ServerCalls.limit
    let answers = try await context.askingAgain.fleet(of: servers).answers(within: limit) {
      (calls, server) throws(OppiError) in
      try await calls.me()
      return try await calls.info()
    }
    for answer in answers {
      guard case .success(let info?) = answer.result else { continue }
      _ = await context.services.remember(info, of: answer.server)
    }
    // Fails with the first error; the hints of the others follow the table.
    let sorted = answers.sorted { $0.server.name < $1.server.name }
    let errors = sorted.compactMap(\.error)
    return list.report(
      sorted,
      in: context,
      notes: errors.dropFirst().flatMap(\.hints).map(Report.Note.hint),
      failure: errors.first
    )
  }
}
