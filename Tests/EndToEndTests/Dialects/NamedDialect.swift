// SPDX-License-Identifier: MIT

import FakeServer
import OppiWire
import TestSupport
import Testing

/// The dialects of released servers.
enum NamedDialect: String, CaseIterable, Sendable, CustomTestStringConvertible {
  case perSession
  case multiplexed
  case sessionSockets
  case deviceKeys

  var dialect: Dialect {
    switch self {
    case .perSession: .perSession
    case .multiplexed: .multiplexed
    case .sessionSockets: .sessionSockets
    case .deviceKeys: .deviceKeys
    }
  }

  /// Those with session sockets, which have no gate.
  static let current: Set<NamedDialect> = [.sessionSockets, .deviceKeys]

  var testDescription: String { rawValue }
}

extension Home {
  /// A new home that is paired with a new server.
  static func paired(
    over dialect: NamedDialect,
    _ change: (inout FakeServer.Configuration) -> Void = { _ in }
  ) async throws -> (Home, RunningServer) {
    let home = try Home()
    return (home, try await home.paired(over: dialect, change))
  }

  /// Starts a server with TLS, whose extensions ask before dangerous calls, and pairs with it.
  func paired(
    over dialect: NamedDialect,
    _ change: (inout FakeServer.Configuration) -> Void = { _ in }
  ) async throws -> RunningServer {
    try await paired(.encrypted) { configuration in
      configuration.set(dialect)
      change(&configuration)
    }
  }

  /// Opens a chat in a new session, on a terminal without cursor control.
  func chat() async throws -> ProgramOnTerminal {
    let terminal = try ProgramOnTerminal(
      [Executable.oppi, "chat", "-w", "demo"],
      in: self,
      environment: ["TERM": "dumb"]
    )
    try await terminal.see("Session ")
    return terminal
  }
}

extension FakeServer.Configuration {
  mutating func set(_ named: NamedDialect) {
    dialect = named.dialect
    gatesCommands = true
    limits.loadedSessionsPerWorkspace = 50
    limits.loadedSessions = 50
  }
}
