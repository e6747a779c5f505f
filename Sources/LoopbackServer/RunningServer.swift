// SPDX-License-Identifier: MIT

package import EventLoop
import Glibc
package import OppiModel
import OppiTransport

extension LoopbackServer {
  /// Starts a server on a thread and a loop of its own.
  ///
  /// One that starts from remains takes the place of the server before: on the same port, with the
  /// same workspaces, tokens and sessions, and without a memory of anything else.
  package static func start(
    _ configuration: Configuration = Configuration(),
    from remains: Remains? = nil
  ) throws(SystemError) -> RunningServer {
    let loop = try EventLoop()
    let server = try LoopbackServer(configuration: configuration, loop: loop, from: remains)
    let running = RunningServer(server: server)
    let ended = running.ended
    try DetachedThread.start {
      // A client that went away is an error of the write; TLS has no other way to keep the signal off.
      SignalSet([SIGPIPE]).whileBlocked { loop.run { await server.run() } }
      ended.keep(true)
    }
    return running
  }
}

/// A server on a thread of its own; everything here may be called from any context.
///
/// The server stops when this goes away.
package final class RunningServer: Sendable {
  private let server: LoopbackServer
  fileprivate let ended = Promise<Bool>()

  fileprivate init(server: LoopbackServer) {
    self.server = server
  }

  deinit {
    server.stop()
  }

  package var port: Int { server.port }
  package var configuration: LoopbackServer.Configuration { server.configuration }
  package var fingerprint: Fingerprint { server.fingerprint }
  /// A token that opens the server without pairing.
  package var ownerToken: String { server.ownerToken }
  /// What has happened so far.
  package var journal: Journal { server.recorder.journal }

  /// The same as ``Recorder/wait(until:)``.
  @discardableResult
  package func wait(
    until condition: @escaping @Sendable (Journal) -> Bool
  ) async throws(CancellationError) -> Journal {
    try await server.recorder.wait(until: condition)
  }

  /// Makes an invite for one pairing, which invalidates the one before.
  package func makeInvite() -> (json: String, url: String) {
    server.makeInvite()
  }

  /// Ends all sessions, stops the server and waits for its end; afterwards its port is free.
  ///
  /// - Returns: What another server can start from.
  @discardableResult
  package func stop() async -> LoopbackServer.Remains {
    server.perform { await $0.stopInOrder() }
    _ = await ended.value()
    return server.remains(await server.sessions.archive)
  }

  /// Ends the server without a word, as if it were killed: runs are lost, connections are cut, and
  /// only what was written is left; afterwards its port is free.
  ///
  /// - Returns: What another server can start from.
  package func crash() async -> LoopbackServer.Remains {
    let remains = await server.crash()
    _ = await ended.value()
    return remains
  }

  // MARK: - Faults that come and go

  /// Lets agents of a workspace fail to start with an error, or lets them start again if `nil`.
  package func setStartFailure(_ error: String?, inWorkspace id: String) async {
    await server.sessions.setStartFailure(error, inWorkspace: id)
  }

  /// Changes how long later starts take in a workspace; as long as everywhere if `nil`.
  package func setAgentStartDelay(_ delay: Duration?, inWorkspace id: String) async {
    await server.sessions.setAgentStartDelay(delay, inWorkspace: id)
  }

  /// Lets the tool end that works in a session until it is interrupted.
  package func releaseTool(inSession id: String) async {
    await server.releaseTool(inSession: id)
  }
}
