// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiTransport
import Testing

@testable import FakeServer
@testable import OppiHost

extension FakeServer.Configuration {
  static func with(_ change: (inout Self) -> Void) -> Self {
    var configuration = Self()
    change(&configuration)
    return configuration
  }

  /// A server with session sockets.
  static func sockets(_ change: (inout Self) -> Void = { _ in }) -> Self {
    with {
      $0.dialect = .sessionSockets
      change(&$0)
    }
  }
}

extension TestClient {
  /// Runs a test against a server with session sockets.
  static func runSockets(
    _ configuration: FakeServer.Configuration = .sockets(),
    _ test: @escaping @Sendable (TestClient) async throws -> Void
  ) throws {
    try run(configuration, test)
  }

  /// Handles a message over REST and returns what a socket would have been sent.
  func command(_ message: JSONValue, in id: String) async throws -> [JSONValue] {
    let answer = try await call("POST", "/sessions/\(id)/command", body: message)
    return try #require(answer["messages"].array)
  }

  /// Creates a session with members and expects a status.
  func launch(
    _ body: JSONValue,
    expecting status: Int = 201,
    in workspace: Int = 0,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> JSONValue {
    let id = server.configuration.workspaces[workspace].id
    return try await call(
      "POST",
      "/workspaces/\(id)/sessions",
      body: body,
      expecting: status,
      sourceLocation: sourceLocation
    )
  }
}
