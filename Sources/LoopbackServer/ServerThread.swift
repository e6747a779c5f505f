// SPDX-License-Identifier: MIT

import EventLoop
import Glibc
import OppiTransport

/// The thread of a running server, which keeps the server alive.
final class ServerThread: Sendable {
  let server: LoopbackServer
  let loop: EventLoop
  let ended: Promise<Bool>

  init(server: LoopbackServer, loop: EventLoop, ended: Promise<Bool>) {
    self.server = server
    self.loop = loop
    self.ended = ended
  }

  func start() throws(SystemError) {
    var thread = pthread_t()
    let context = Unmanaged.passRetained(self)
    let status = pthread_create(&thread, nil, Self.body, context.toOpaque())
    guard status == 0 else {
      context.release()
      throw SystemError("pthread_create", code: status)
    }
    pthread_detach(thread)
  }

  private static let body: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = {
    context in
    guard let context else { return nil }
    // A client that went away is an error of the write; TLS has no other way to keep the signal off.
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGPIPE)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    run(Unmanaged<ServerThread>.fromOpaque(context).takeRetainedValue())
    return nil
  }

  private static func run(_ thread: ServerThread) {
    let server = thread.server
    thread.loop.run { await server.run() }
    thread.ended.keep(true)
  }
}
