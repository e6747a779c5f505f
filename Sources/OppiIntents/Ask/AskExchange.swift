// SPDX-License-Identifier: MIT

import OppiModel
import OppiTransport

/// A stream together with what its messages have said about one prompt so far.
struct AskExchange {
  let socket: IntentWebSocket
  var progress: AskProgress
  var deadline: EventLoop.Instant
  /// Whether the prompt may have reached the server.
  var hasSentPrompt = false
  /// Every message that was read, for whoever goes on with the stream.
  private(set) var backlog: [ServerMessage] = []

  init(socket: IntentWebSocket, progress: AskProgress, deadline: EventLoop.Instant) {
    self.socket = socket
    self.progress = progress
    self.deadline = deadline
  }

  /// What starts the session's agent; the older dialect's stream is the subscription itself.
  var subscription: [IntentWebSocket.Request] {
    socket.dialect == .multiplexed ? [.init(.subscribe(), id: progress.subscribeID)] : []
  }

  func send(_ requests: [IntentWebSocket.Request]) async throws(IntentError) {
    guard !requests.isEmpty else { return }
    try await socket.send(requests, to: progress.sessionID, until: deadline)
  }

  mutating func next() async throws(IntentError) -> AskProgress.Event {
    while true {
      let message: ServerMessage
      do {
        message = try await socket.receive(until: deadline)
      } catch .hungUp(let server) {
        // A server that said why before it hung up has refused; once the prompt has left, an error
        // that names no request may have been about anything.
        guard !hasSentPrompt, let reason = progress.lastError else {
          throw .hungUp(server: server)
        }
        throw rejection(reason)
      } catch {
        throw error
      }
      backlog.append(message)
      if let event = progress.apply(message) { return event }
    }
  }

  /// Waits for the event that the body recognises; a refusal throws.
  mutating func awaitEvent<Value>(
    _ recognise: (AskProgress.Event) -> Value?
  ) async throws(IntentError) -> Value {
    while true {
      let event = try await next()
      if let value = recognise(event) { return value }
      if case .refused(let text) = event { throw rejection(text) }
    }
  }

  func rejection(_ text: String) -> IntentError {
    .rejected(message: text, server: socket.serverName)
  }
}
