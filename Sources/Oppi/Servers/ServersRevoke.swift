// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel
import OppiRendering
import OppiSystem

/// `oppi servers revoke`: ends a device's access to a server.
enum ServersRevoke {
  struct Options: Sendable, Equatable {
    var isAgreed = false
  }

  static let command: Command = Command(
    "revoke",
    "End a device's access to a server",
    discussion: """
      The device loses access within seconds and must be paired again. DEVICE is an id from 'oppi \
      servers devices', the unique start of one, or a unique name. With several paired servers, \
      select one with --server.

      On a terminal you must confirm; without a terminal --yes is required.
      """,
    examples: [
      CommandExample("oppi servers revoke dev_k2JxQ7 --server studio", "Revoke a lost phone")
    ],
    exitStatuses: [0, 5, 64, 66, 69, 75, 76, 77, 78, 130],
    members: DeviceRow.shape.rows,
    positional: RequiredPositional<String>("device", "The device's id or name"),
    options: Options(),
    arguments: [.flag("yes", short: "y", \.isAgreed, "Do not ask for confirmation")],
    run: run
  )

  static func run(
    _ name: String,
    _ options: Options,
    in context: Context
  ) async throws -> Report {
    let servers = try context.servers()
    guard let server = servers.first else { throw IntentError.notPaired }
    guard servers.count == 1 else { throw OppiError.serverNeeded(servers.map(\.name)) }
    let devices = ServerDevices(in: context.intents)
    let row = try await devices.device(named: name, on: server)
    let label = row.device.name.isEmpty ? row.device.id : "\(row.device.name) (\(row.device.id))"
    guard !row.device.isRevoked else { throw OppiError.alreadyRevoked(label, server: server.name) }
    let whose = row.isThis ? "this machine, \(label)," : label
    try await context.confirm(
      "End the access of \(whose) to \(server.name)?",
      declined: "not revoked",
      unless: options.isAgreed
    )
    guard try await devices.revoke(row) else {
      throw OppiError.alreadyRevoked(label, server: server.name)
    }
    return Report(
      DeviceRow(row: row).document,
      status: StyledText("revoked \(label) on \(server.name)"),
      notes: row.isThis
        ? [.hint("remove the server here with: oppi servers forget \(server.name)")] : []
    )
  }
}
