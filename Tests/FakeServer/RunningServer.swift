// SPDX-License-Identifier: MIT

package import EventLoop
import Glibc
import OppiHost
package import OppiWire

extension FakeServer {
  /// Starts a server on a new thread with its own loop.
  ///
  /// A server that starts from remains replaces the previous one: same port, workspaces, tokens and
  /// sessions, but no other state.
  package static func start(
    _ configuration: Configuration = Configuration(),
    from remains: Remains? = nil
  ) throws(SystemError) -> RunningServer {
    let loop = try EventLoop()
    let server = try FakeServer(configuration: configuration, loop: loop, from: remains)
    let running = RunningServer(server: server)
    let ended = running.ended
    try DetachedThread.start {
      // A write to a closed connection must fail without SIGPIPE; TLS offers no other way.
      SignalSet([SIGPIPE]).whileBlocked { loop.run { await server.run() } }
      ended.keep(true)
    }
    return running
  }
}

/// A server on its own thread; all members may be used in any context.
///
/// Deinitialization stops the server.
package final class RunningServer: ControlledServer {
  package let server: FakeServer
  fileprivate let ended = Promise<Bool>()

  fileprivate init(server: FakeServer) {
    self.server = server
  }

  deinit {
    server.stop()
  }

  package var port: Int { server.port }
  package var configuration: FakeServer.Configuration { server.configuration }
  package var fingerprint: Fingerprint { server.fingerprint }
  package var ownerToken: String { server.ownerToken }
  package var journal: Journal { server.recorder.journal }

  /// See ``Recorder/wait(until:)``.
  @discardableResult
  package func wait(
    until condition: @escaping @Sendable (Journal) -> Bool
  ) async throws(CancellationError) -> Journal {
    try await server.recorder.wait(until: condition)
  }

  /// Ends all sessions, stops the server and waits for its end, when its port is free.
  ///
  /// - Returns: The remains for another server.
  @discardableResult
  package func stop() async -> FakeServer.Remains {
    server.host.perform { [server] in await server.stopInOrder() }
    _ = await ended.value()
    return await server.remains()
  }

  /// Ends the server as if it were killed: runs are lost, connections are closed, and only written
  /// data remains.
  ///
  /// Waits until its port is free.
  ///
  /// - Returns: The remains for another server.
  package func crash() async -> FakeServer.Remains {
    let remains = await server.crash()
    _ = await ended.value()
    return remains
  }
}
