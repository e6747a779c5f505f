// SPDX-License-Identifier: MIT

package import OppiWire

extension Context {
  /// The paired servers of the command: all, or the one selected by `--server` or `OPPI_SERVER`.
  package func servers() throws -> [PairedServer] {
    let all = try services.serverStore.load().servers
    guard let name = serverChoice else { return all }
    do {
      return [try all.named(name)]
    } catch {
      throw error.tracing(
        options.server == nil ? .variable(Self.serverVariable) : .option("--server")
      )
    }
  }

  /// The same, or one of them; throws if there is none.
  package func pairedServers(named name: String? = nil) throws -> [PairedServer] {
    let servers = try servers()
    guard !servers.isEmpty else { throw OppiError.notPaired }
    return try name.map { [try servers.named($0)] } ?? servers
  }

  /// The name of the selected server; `nil` for all.
  package var serverChoice: String? { options.server ?? nonEmpty(Self.serverVariable) }

  private static let serverVariable = "OPPI_SERVER"

  package func fleet() throws -> Fleet { fleet(of: try servers()) }

  /// A fleet that shows on a terminal for which servers the command waits; not for screens.
  package func fleet(of servers: [PairedServer], within limit: Duration? = nil) -> Fleet {
    var fleet = services.fleet(of: servers, within: limit)
    fleet.waiting = output.waiting
    return fleet
  }

  /// A resolver for sessions on the command's servers.
  package func sessions() throws -> SessionResolver {
    SessionResolver(try fleet(), in: services)
  }

  package func session(named name: SessionName) async throws -> ServerSession {
    try await sessions().resolve(name.text)
  }
}
