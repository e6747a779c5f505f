// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel

/// The socket for the events of all sessions of a server.
///
/// It is cut when the access token of its handshake expires; the connection that follows is normal
/// operation.
struct AppEventNewsSource: NewsSource {
  private let socket: IntentWebSocket
  private let loop: EventLoop

  init(_ socket: IntentWebSocket, of api: IntentAPIClient) {
    (self.socket, loop) = (socket, api.loop)
  }

  var isComplete: Bool { true }

  func receive(_ tell: @Sendable () -> Void) async throws(IntentError) {
    var news = AppEventNews()
    while true {
      do throws(IntentError) {
        let event = try await socket.receive(until: loop.now + WatchLine.silenceLimit) {
          AppEvent(bytes: $0)
        }
        if news.take(event) { tell() }
      } catch .noAnswer {
        if await socket.isSilent(for: WatchLine.silenceLimit) {
          throw .hungUp(server: socket.serverName)
        }
      }
    }
  }

  func follow(_ loaded: Set<String>) async {}

  func close() async { await socket.close() }
}
