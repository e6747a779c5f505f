// SPDX-License-Identifier: MIT

import FakeServer
import OppiSystem
import OppiText
import OppiWire
import Simulation

@testable import OppiClient

/// Runs a test in a new world with a server of session sockets and dialogs, whose dialect is known.
func inDialogWorld(
  _ change: (inout FakeServer.Configuration) -> Void = { _ in },
  _ body: @escaping @Sendable (World, VirtualServer) async throws -> Void
) {
  inWorld(.sessionSockets, change) { world, server in
    let paths = XDGPaths(environment: [:], home: World.home)
    let store = ServerStore(paths: paths, files: world.program().files)
    for paired in try store.load().servers {
      await store.remember(.sessionSockets, version: "0.46.0", of: paired.id)
    }
    try await body(world, server)
  }
}

/// Runs the body in such a world whose server can be disturbed.
func inTroubledDialogWorld(
  _ body: @escaping @Sendable (World, VirtualServer, Trouble) async throws -> Void
) {
  let trouble = Trouble()
  inDialogWorld {
    $0.interceptor = trouble.interceptor
  } _: { world, server in
    try await body(world, server, trouble)
  }
}

extension VirtualServer {
  /// The bodies of the commands that were sent over REST, in order.
  var commands: [JSONValue] {
    requests.filter { $0.path.hasSuffix("/command") }
      .map { (try? JSONValue(parsing: $0.body)) ?? .null }
  }
}
