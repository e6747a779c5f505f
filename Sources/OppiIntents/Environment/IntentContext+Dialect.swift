// SPDX-License-Identifier: MIT

import EventLoop
package import OppiModel
import OppiSystem

// MARK: - What servers speak

extension IntentContext {
  /// Asks a server what it offers, and stores its dialect and version.
  ///
  /// For a server whose version changed, or which lacks a route of its known dialect.
  ///
  /// - Returns: The server with its current dialect.
  /// - Throws: If the server cannot be queried, or is another one than was paired.
  package func redetect(_ server: PairedServer) async throws(IntentError) -> PairedServer {
    let api = try await connections.client(for: server)
    let info = try await api.checkIdentity(of: server, until: loop.now + answerLimit)
    guard let info else { return server }
    return await remember(info, of: server)
  }

  /// Stores what a server reports of itself, if it is new.
  ///
  /// - Returns: The server with its current dialect.
  package func remember(_ info: ServerInfo, of server: PairedServer) async -> PairedServer {
    var current = server
    let device = try? credentials.device(of: server.id)
    current.dialect = .updated(
      server.dialect,
      by: info,
      credential: device?.deviceID == nil ? .bearer : .deviceKey
    )
    current.version = info.version
    guard current != server else { return server }
    do {
      try await serverStore.remember(current.dialect, version: info.version, of: server.id)
    } catch {
      // It is detected again the next time.
      await reporter.detail("could not store the dialect of \(server.name)", because: error)
    }
    return current
  }
}
