// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiSystem

// MARK: - What servers speak

extension IntentContext {
  /// Asks a server what it offers, and stores its dialect and version.
  ///
  /// For a server whose version changed, or which lacks a route of its known dialect.
  ///
  /// - Returns: The server with its current dialect.
  /// - Throws: If the server cannot be queried, or is another one than was paired.
  func redetect(_ server: PairedServer) async throws(IntentError) -> PairedServer {
    let api = try await connections.client(for: server)
    let deadline = loop.now + answerLimit
    guard let info = try await api.info(until: deadline) else { return server }
    var dialect = dialect(of: server, by: info)
    if dialect?.hasUnsureGate == true, try await !api.hasGate(until: deadline) {
      dialect?.requests = .dialogs
    }
    return await remember(dialect, info.version, of: server)
  }

  /// Stores what a server reports of itself, if its version or its offers have changed.
  ///
  /// - Returns: The server with its current dialect.
  func remember(_ info: ServerInfo, of server: PairedServer) async -> PairedServer {
    guard server.dialect == nil || server.version != info.version else { return server }
    return await remember(dialect(of: server, by: info), info.version, of: server)
  }

  private func dialect(of server: PairedServer, by info: ServerInfo) -> Dialect? {
    let device = try? credentials.device(of: server.id)
    return .updated(
      server.dialect,
      by: info,
      credential: device?.deviceID == nil ? .bearer : .deviceKey
    )
  }

  private func remember(
    _ dialect: Dialect?,
    _ version: String?,
    of server: PairedServer
  ) async -> PairedServer {
    var current = server
    (current.dialect, current.version) = (dialect, version)
    guard current != server else { return server }
    do {
      try await serverStore.remember(dialect, version: version, of: server.id)
    } catch {
      // It is detected again the next time.
      await reporter.detail("could not store the dialect of \(server.name)", because: error)
    }
    return current
  }
}

extension IntentAPIClient {
  /// Whether the server itself holds tool calls until they are approved.
  fileprivate func hasGate(until deadline: EventLoop.Instant) async throws(IntentError) -> Bool {
    do {
      _ = try await pendingPermissions(until: deadline)
      return true
    } catch  where error.isMissingRoute {
      return false
    }
  }
}
