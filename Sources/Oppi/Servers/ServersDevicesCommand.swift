// SPDX-License-Identifier: MIT

import CommandTable
import OppiClient
import OppiTerminal
import OppiText
import OppiWire

/// `oppi servers devices`: the devices that are paired with servers.
enum ServersDevicesCommand {
  struct Options: Sendable, Equatable {
    var name: String?
  }

  static let command: Command = Command(
    "devices",
    "List the devices that are paired with servers",
    discussion: """
      Lists the devices with access to each server, and revoked ones. Servers before September \
      2026 do not list devices; this is a warning, and a failure only if no other server lists \
      them.

      In a pipe each line has, separated by tabs: id, server, name, the times when it was paired, \
      last used and revoked, and the word current for this machine.
      """,
    examples: [
      ("oppi servers devices", "List the devices of all paired servers")
    ],
    exitStatuses: [0, 66, 69, 75, 76, 77, 78],
    options: Options(),
    arguments: [
      .positional("name", completion: .names(of: .server), \.name, "Only devices of this server")
    ],
    run: run
  )
  .listing([list])

  static let list = Listing<ServerDevices.Row>(
    "devices",
    "The devices, those that were used last first",
    [
      .text("id", "Its id") { $0.device.id },
      .text("name", "Its name") { $0.device.name },
      .text("createdAt", "When it was paired, or null") { $0.device.createdAt?.iso8601 },
      .text("lastUsedAt", "When it was last used, or null") { $0.device.lastUsedAt?.iso8601 },
      .text("revokedAt", "When it was revoked, or null") { $0.device.revokedAt?.iso8601 },
      .bool("current", "Whether it is this machine") { $0.isThis },
      .server { $0.server },
    ],
    columns: [
      .text("ID", .detail(3), .name) { $0.device.id },
      .server { $0.server.name },
      .text("NAME", .decides) { $0.device.name },
      .cell("PAIRED", .detail(1)) { StyledText($1.ago("paired", $0.device.createdAt) ?? "", .dim) },
      .cell("USED", .detail(2)) {
        StyledText($1.ago("used", $0.device.lastUsedAt) ?? "never used", .dim)
      },
      .cell("STATE", .kept) { row, view in
        view.ago("revoked", row.device.revokedAt).map { StyledText($0, .warning) }
          ?? StyledText(row.isThis ? "this machine" : "", .success)
      },
    ],
    pipe: [
      "id", "server.name", "name", "createdAt", "lastUsedAt", "revokedAt",
      .text { $0.isThis ? "current" : nil },
    ]
  )

  static func run(_ options: Options, in context: Context) async throws -> Report {
    let servers = try context.pairedServers(named: options.name)
    let answers = try await ServerDevices(context: context.services).answers(of: servers)
    let rows = answers.sorted { $0.server.name < $1.server.name }.flatMap { answer in
      ((try? answer.result.get()) ?? []).sorted(by: isEarlier)
    }
    let failures = FleetFailures(answers) { $0.deviceError }
    return list.report(
      rows,
      in: context,
      isOnlyServer: try context.servers().count == 1,
      notes: failures.notes,
      failure: failures.failure
    )
  }

  /// Revoked devices last, then the ones that were used last first.
  private static func isEarlier(_ first: ServerDevices.Row, _ second: ServerDevices.Row) -> Bool {
    let (one, other) = (first.device, second.device)
    if one.isRevoked != other.isRevoked { return other.isRevoked }
    let begin = Timestamp(milliseconds: 0)
    return (other.lastUsedAt ?? begin, one.id) < (one.lastUsedAt ?? begin, other.id)
  }
}

extension Fleet.Answer where Value == [ServerDevices.Row]? {
  /// Why the server listed no devices; `nil` if it did.
  fileprivate var deviceError: OppiError? {
    guard case .success(nil) = result else { return error }
    return OppiError.noDevices(server: server.name)
  }
}

/// `oppi servers revoke`: ends a device's access to a server.
enum ServersRevoke {
  struct Options: Sendable, Equatable {
    @Required var device: String
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
      ("oppi servers revoke dev_k2JxQ7 --server studio", "Revoke a lost phone")
    ],
    exitStatuses: [0, 5, 64, 66, 69, 75, 76, 77, 78, 130],
    members: ServersDevicesCommand.list.shape.rows,
    options: Options(),
    arguments: [
      .flag("yes", short: "y", \.isAgreed, "Do not ask for confirmation"),
      .positional("device", \.$device, "The device's id or name"),
    ],
    run: run
  )

  static func run(_ options: Options, in context: Context) async throws -> Report {
    let servers = try context.pairedServers()
    guard let server = servers.first, servers.count == 1 else {
      throw OppiError(
        .usage,
        "several servers are paired; select one with --server",
        hints: ["available: \(servers.prefix(20).map(\.name).joined(separator: ", "))"]
      )
    }
    let devices = ServerDevices(context: context.services)
    let row = try await devices.device(named: options.device, on: server)
    let label = row.device.label
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
      ServersDevicesCommand.list.shape.document(of: row),
      status: StyledText("revoked \(label) on \(server.name)"),
      notes: row.isThis
        ? [.hint("remove the server here with: oppi servers forget \(server.name)")] : []
    )
  }
}
