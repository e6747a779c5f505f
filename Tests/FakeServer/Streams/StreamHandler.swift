// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiTransport
import WebSocketCodec

/// Serves one WebSocket: handles its messages in order while another task writes.
struct StreamHandler {
  let connection: ConnectionHandler
  let kind: Stream.Kind
  let target: String
  let wire: Wire
  let sender: Sender

  private var id: Int { connection.id }
  private var sessions: Sessions { connection.sessions }

  /// Serves until the peer leaves, the connection must be closed, or the task is cancelled.
  func run(received: [UInt8]) async {
    let isCut = await withTaskGroup(of: Sender.End?.self) { group in
      group.addTask { await sender.write(to: wire) }
      group.addTask {
        // Errors have already been reported to the peer where required.
        var reader = StreamReader(handler: self, received: received)
        try? await reader.run()
        sender.finish()
        return nil
      }
      var isCut = false
      for await end in group where end == .cut {
        isCut = true
        group.cancelAll()
      }
      return isCut
    }
    await sessions.close(stream: id)
    if Task.isCancelled {
      await sayGoodbye()
    } else if !isCut {
      await wire.shutDown()
    }
  }

  /// Announces the shutdown of the server; the first servers do not.
  private func sayGoodbye() async {
    guard connection.configuration.dialect.announcesShutdown else { return }
    var farewell = WebSocketConnection(role: .server)
    var random = connection.loop.random
    farewell.close(.goingAway, reason: "Server shutting down", using: &random)
    try? await wire.write(farewell.takeOutbound())
    await wire.shutDown()
  }
}
