// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel
import OppiRendering
import OppiSystem

/// `oppi servers devices`: the devices that are paired with servers.
enum ServersDevices {
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
      CommandExample("oppi servers devices", "List the devices of all paired servers")
    ],
    exitStatuses: [0, 66, 69, 75, 76, 77, 78],
    members: shape.rows,
    options: Options(),
    arguments: [
      .positional("name", completion: .dynamic("server"), \.name, "Only devices of this server")
    ],
    run: run
  )
  .listing("devices")

  static func run(_ options: Options, in context: Context) async throws -> Report {
    var servers = try context.servers()
    guard !servers.isEmpty else { throw IntentError.notPaired }
    if let name = options.name { servers = [try servers.named(name)] }
    let answers = try await ServerDevices(in: context.intents).answers(of: servers)
    let rows = answers.sorted { $0.server.name < $1.server.name }.flatMap { answer in
      ((try? answer.result.get()) ?? []).sorted(by: isEarlier).map(DeviceRow.init)
    }
    let isOnlyServer = try context.servers().count == 1
    let now = context.now()
    let failures = FleetFailures(answers) { $0.deviceError }
    return Report(
      shape.document(of: rows),
      .table {
        Table(
          rows,
          roles: DeviceRow.roles,
          headers: ["ID", "SERVER", "NAME", "PAIRED", "USED", "STATE"]
        ) { $0.cells(isOnlyServer: isOnlyServer, now: now) }
      },
      pipe: .table { Table(plain: rows, cells: \.pipeCells) },
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

  private static let shape: JSONShape<[DeviceRow]> = [
    .list("devices", "The devices, those that were used last first", DeviceRow.shape) { $0 }
  ]
}

extension Fleet.Answer where Value == [ServerDevices.Row]? {
  /// Why the server listed no devices; `nil` if it did.
  fileprivate var deviceError: OppiError? {
    guard case .success(nil) = result else { return error }
    return OppiError(DeviceError.noDevices(server: server.name))
  }
}
