// SPDX-License-Identifier: MIT

import CommandTable
import OppiClient
import OppiPrompts
import OppiSystem
import OppiTerminal
import OppiText
import OppiWire

/// `oppi servers`: the paired servers.
enum Servers {
  static let command: Command = Command(
    "servers",
    "Show and manage paired servers",
    group: Group.setup,
    defaultSubcommand: "list",
    subcommands: [
      ServersList.command, ServersShow.command, ServersRename.command, ServersForget.command,
      ServersDefault.command, ServersTest.command, ServersDevicesCommand.command,
      ServersRevoke.command,
    ]
  )

  private struct OneServer: Sendable, Equatable {
    @Required var name: String
  }

  /// A command for one server, whose row it gets and prints.
  fileprivate static func command(
    _ name: String,
    _ summary: String,
    discussion: String = "",
    run: @escaping @Sendable (ServerRow, Context) async throws -> Report
  ) -> Command {
    Command(
      name,
      summary,
      discussion: discussion,
      members: ServerRow.shape.rows,
      options: OneServer(),
      arguments: [.server(\.$name)],
      run: { options, context in try await run(row(named: options.name, in: context), context) }
    )
  }

  static func row(named name: String, in context: Context) throws -> ServerRow {
    let contents = try context.serverStore.load()
    let server = try contents.servers.named(name)
    return ServerRow(server: server, isDefault: contents.defaultServer?.id == server.id)
  }
}

extension Argument {
  fileprivate static func server(
    _ field: @autoclosure @escaping Field<Options, Required<String>>
  ) -> Self {
    .positional("name", completion: .names(of: .server), field(), "The server's name")
  }
}

enum ServersList {
  static let command: Command = Command(
    "list",
    "List paired servers",
    discussion: """
      In a pipe each line has, separated by tabs: name, address, the word default (if there are \
      several servers), and identity.
      """,
    options: NoOptions(),
    run: run
  )
  .listing([ServerRow.list])

  static func run(_: NoOptions, in context: Context) async throws -> Report {
    let servers = try context.serverStore.load().servers
    let rows = servers.enumerated().map { ServerRow(server: $1, isDefault: $0 == 0) }
    return ServerRow.list.report(
      rows,
      in: context,
      isOnlyServer: rows.count == 1,
      status: rows.isEmpty ? "no paired servers" : nil,
      notes: rows.isEmpty ? OppiError.notPaired.hints.map(Report.Note.hint) : []
    )
  }
}

enum ServersShow {
  static let command = Servers.command(
    "show",
    "Show details of a server",
    discussion: "In a pipe each line has a label, for example 'address', a tab, and the value."
  ) { row, context in
    let server = row.server
    let fields = [
      ("name", server.name),
      ("address", server.endpoint.description),
      ("identity", server.id.text),
      ("certificate", server.certificatePin?.text ?? "not pinned"),
      ("paired", Timestamp(seconds: server.addedAt).iso8601),
      ("dialect", server.dialect?.name ?? "unknown"),
      ("token", tokenSource(of: server, in: context)),
      ("default", row.isDefault ? "yes" : "no"),
    ]
    let table = Table(fields) { label, value in [StyledText(label, .dim), StyledText(value)] }
    return Report(row.document, .table(table))
  }

  private static func tokenSource(of server: PairedServer, in context: Context) -> String {
    let deviceID = (try? context.credentials.device(of: server.id))?.deviceID
    let standing = deviceID.map { context.accessTokens.standing(of: $0, on: server.id) }
    if let refusal = standing?.error(server: server.name) { return "refused: \(refusal.message)" }
    if let program = server.tokenCommand.first { return "by command \(program)" }
    if let program = server.keyCommand.first { return "by key command \(program)" }
    do throws(FileError) {
      return try context.credentials.isStored(server.id) ? "stored" : "not stored"
    } catch {
      return "unknown: \(OppiError(error).message)"
    }
  }
}

enum ServersDefault {
  static let command = Servers.command(
    "default",
    "Set the default server",
    discussion:
      "'oppi new' uses the first workspace of this server if no workspace was used before."
  ) { row, context in
    let server = row.server
    try await context.serverStore.update { contents in
      guard let index = contents.servers.firstIndex(where: { $0.id == server.id }) else { return }
      contents.servers.insert(contents.servers.remove(at: index), at: 0)
    }
    return Report(
      ServerRow(server: server, isDefault: true).document,
      status: StyledText("\(server.name) is the default server")
    )
  }
}

enum ServersRename {
  struct Options: Sendable, Equatable {
    @Required var name: String
    @Required var newName: String
  }

  static let command: Command = Command(
    "rename",
    "Rename a server",
    exitStatuses: [0, 64, 66, 73, 74, 75, 78],
    members: ServerRow.shape.rows,
    options: Options(),
    arguments: [
      .server(\.$name),
      .positional("new-name", \.$newName, "Its new name"),
    ],
    validate: { options throws(UsageError) in try ServerLabel.check(options.newName) },
    run: run
  )

  static func run(_ options: Options, in context: Context) async throws -> Report {
    let row = try Servers.row(named: options.name, in: context)
    var server = row.server
    server.name = options.newName
    let renamed = server
    let isTaken = try await context.serverStore.update { contents in
      let isTaken = contents.servers.contains {
        $0.id != renamed.id && $0.name.lowercased() == renamed.name.lowercased()
      }
      if !isTaken, let index = contents.servers.firstIndex(where: { $0.id == renamed.id }) {
        contents.servers[index].name = renamed.name
      }
      return isTaken
    }
    if isTaken {
      throw OppiError(.cannotCreate, "another server is named '\(options.newName)'")
    }
    return Report(
      ServerRow(server: renamed, isDefault: row.isDefault).document,
      status: StyledText("renamed \(row.server.name) to \(renamed.name)")
    )
  }
}

enum ServersForget {
  static let command = Servers.command(
    "forget",
    "Remove a server, its credential and its cached workspaces",
    discussion: """
      Today's servers also end this machine's access; if that fails, the server is removed here all \
      the same, with a warning. The token of an older server stays valid until you run 'oppi token \
      rotate' on its machine.
      """,
    run: run
  )

  static func run(_ row: ServerRow, in context: Context) async throws -> Report {
    let server = row.server
    let devices = ServerDevices(context: context.services)
    let failure = await devices.revokeThis(on: server)
    try Task.checkCancellation()
    try await context.credentials.remove(server.id)
    try await context.serverStore.update { $0.servers.removeAll { $0.id == server.id } }
    await devices.forgetAccess(to: server)
    await context.cache.remove(server.id)
    var notes: [Report.Note] = []
    if let (deviceID, error) = failure {
      notes += [
        .warning(
          "could not revoke this machine's device \(deviceID) on \(server.name): \(error.message)"
        ),
        .hint("revoke it on another paired machine: oppi servers revoke \(deviceID)"),
      ]
    }
    // A damaged prompt is reported by the commands for the outbox.
    let queued = (try? context.services.queuedPrompts(on: server).count) ?? 0
    if queued > 0 {
      notes += [
        .warning("\(queued.counted("queued prompt")) for \(server.name) cannot be delivered now"),
        .hint("pair again, or drop them; list them with: oppi outbox"),
      ]
    }
    return Report(row.document, status: StyledText("removed \(server.name)"), notes: notes)
  }
}

struct ServerRow {
  let server: PairedServer
  /// Whether it is the first of the paired servers.
  let isDefault: Bool

  static let list = Listing<ServerRow>(
    "servers",
    "The paired servers",
    [
      .text("id", "Its identity") { $0.server.id.text },
      .text("name", "Its local name") { $0.server.name },
      .text("scheme", "http or https") { $0.server.endpoint.scheme.rawValue },
      .text("host", "Its host") { $0.server.endpoint.host },
      .number("port", "Its port") { $0.server.endpoint.port },
      .text("url", "Its address") { $0.server.endpoint.description },
      .optionalText("tlsCertFingerprint", "The pin of its certificate, if it is pinned") {
        $0.server.certificatePin?.text
      },
      .text("pairedAt", "When it was paired") { Timestamp(seconds: $0.server.addedAt).iso8601 },
      .optionalText("dialect", "Its streaming dialect, if known") { $0.server.dialect?.name },
      .bool("default", "Whether it is the default server") { $0.isDefault },
    ],
    columns: [
      .text("NAME", .kept, .name) { $0.server.name },
      .text("ADDRESS", .decides) { $0.server.endpoint.description },
      .cell("DEFAULT", .kept) {
        StyledText($0.isDefault && !$1.isOnlyServer ? "default" : "", .success)
      },
      .text("ID", .detail(1), .dim) { $0.server.id.text },
    ]
  )

  static var shape: JSONShape<ServerRow> { list.shape }

  var document: JSONValue { Self.shape.document(of: self) }
}

enum ServerLabel {
  /// Throws if a label is ambiguous among the other names, or not printable.
  static func check(_ label: String) throws(UsageError) {
    guard label.safeLine(limit: 80) == label, !label.isEmpty,
      !label.contains(where: { "/|→".contains($0) })
    else {
      throw UsageError(
        .custom("a server's name is up to 80 printable characters without / | →")
      )
    }
  }
}
