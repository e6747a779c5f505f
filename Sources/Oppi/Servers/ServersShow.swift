// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel
import OppiRendering
import OppiSystem

enum ServersShow {
  static let command: Command = Command(
    "show",
    "Show details of a server",
    discussion: "In a pipe each line has a label, for example 'address', a tab, and the value.",
    members: ServerRow.shape.rows,
    positional: Servers.name,
    run: run
  )

  static func run(_ name: String, in context: Context) async throws -> Report {
    let contents = try context.serverStore.load()
    let server = try contents.servers.named(name)
    let isDefault = contents.defaultServer?.id == server.id
    let fields = [
      ("name", server.name),
      ("address", server.endpoint.description),
      ("identity", server.id.text),
      ("certificate", server.certificatePin?.text ?? "not pinned"),
      ("paired", Timestamp(seconds: server.addedAt).iso8601),
      ("dialect", server.dialect?.name ?? "unknown"),
      ("token", tokenSource(of: server, in: context)),
      ("default", isDefault ? "yes" : "no"),
    ]
    let table = Table(fields) { label, value in [StyledText(label, .dim), StyledText(value)] }
    return Report(ServerRow(server: server, isDefault: isDefault).document, .table(table))
  }

  private static func tokenSource(of server: PairedServer, in context: Context) -> String {
    if let program = server.tokenCommand.first { return "by command \(program)" }
    if let program = server.keyCommand.first { return "by key command \(program)" }
    do throws(FileError) {
      return try context.credentials.isStored(server.id) ? "stored" : "not stored"
    } catch {
      return "unknown: \(OppiError(error).message)"
    }
  }
}
