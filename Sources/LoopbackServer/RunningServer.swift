// SPDX-License-Identifier: MIT

package import OppiModel
package import OppiTransport

extension LoopbackServer {
  /// Starts a server on a thread and a loop of its own.
  package static func start(
    _ configuration: Configuration = Configuration()
  ) throws(SystemError) -> RunningServer {
    let loop = try EventLoop()
    let server = try LoopbackServer(configuration: configuration, loop: loop)
    let running = RunningServer(server: server)
    try ServerThread(server: server, loop: loop, ended: running.ended).start()
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
  package func wait(until condition: @escaping @Sendable (Journal) -> Bool) async -> Journal {
    await server.recorder.wait(until: condition)
  }

  /// Makes an invite for one pairing, which invalidates the one before.
  package func makeInvite() -> (json: String, url: String) {
    server.makeInvite()
  }

  /// Stops the server and waits for its end; afterwards its port is free.
  package func stop() async {
    server.stop()
    _ = await ended.value()
  }
}
