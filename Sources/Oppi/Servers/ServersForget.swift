// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel
import OppiRendering
import OppiSystem

enum ServersForget {
  static let command: Command = Command(
    "forget",
    "Remove a server, its credential and its cached workspaces",
    discussion: """
      Today's servers also end this machine's access; if that fails, the server is removed here all \
      the same, with a warning. The token of an older server stays valid until you run 'oppi token \
      rotate' on its machine.
      """,
    members: ServerRow.shape.rows,
    positional: Servers.name,
    run: run
  )

  static func run(_ name: String, in context: Context) async throws -> Report {
    let contents = try context.serverStore.load()
    let server = try contents.servers.named(name)
    let isDefault = contents.defaultServer?.id == server.id
    let devices = ServerDevices(in: context.intents)
    let farewell = await devices.revokeThis(on: server)
    try Task.checkCancellation()
    try await context.credentials.remove(server.id)
    try await context.serverStore.update { $0.servers.removeAll { $0.id == server.id } }
    await devices.forgetAccess(to: server)
    await context.cache.remove(server.id)
    return Report(
      ServerRow(server: server, isDefault: isDefault).document,
      status: StyledText("removed \(server.name)"),
      notes: notes(on: farewell, server)
    )
  }

  private static func notes(
    on farewell: ServerDevices.Farewell,
    _ server: PairedServer
  ) -> [Report.Note] {
    guard case .failed(let deviceID, let error) = farewell else { return [] }
    return [
      .warning(
        "\(server.name) was not told: this machine's device \(deviceID) is not revoked: "
          + OppiError(error).message
      ),
      .hint("revoke it on another paired machine: oppi servers revoke \(deviceID)"),
    ]
  }
}
