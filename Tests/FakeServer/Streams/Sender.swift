// SPDX-License-Identifier: MIT

import OppiModel
import Synchronization
import WebSocketCodec

/// The output queue of a WebSocket; any task may add to it, and one task writes it.
final class Sender: Outlet {
  private enum Item {
    case bytes([UInt8])
    case flood(@Sendable (Int) -> [UInt8], Int)
    case cut
  }

  enum End {
    case finished
    /// The connection must be closed without a close frame.
    case cut
  }

  private struct State {
    var isMuted = false
    var fragmentSize: Int?
  }

  private let state = Mutex(State())
  private let items: AsyncStream<Item>
  private let queue: AsyncStream<Item>.Continuation

  init() {
    (items, queue) = AsyncStream.makeStream()
  }

  /// Sends every later message in frames of this many bytes.
  func fragment(into size: Int) {
    state.withLock { $0.fragmentSize = size }
  }

  func send(_ message: JSONValue) {
    let payload = message.bytes()
    send(bytes: Self.frames(of: payload, size: state.withLock(\.fragmentSize)))
  }

  /// Sends complete frames.
  func send(bytes: [UInt8]) {
    if !bytes.isEmpty, !state.withLock(\.isMuted) { queue.yield(.bytes(bytes)) }
  }

  /// Sends complete frames for ever, between the others.
  func flood(_ bytes: @escaping @Sendable (Int) -> [UInt8]) {
    queue.yield(.flood(bytes, 0))
  }

  /// Sends a close frame, and nothing after it.
  func close(_ code: CloseCode, reason: String) {
    var connection = WebSocketConnection(role: .server)
    var random = NoRandomness()
    connection.close(code, reason: reason, using: &random)
    send(bytes: connection.takeOutbound())
    mute()
  }

  /// Discards everything from now on.
  func mute() {
    state.withLock { $0.isMuted = true }
  }

  /// Closes the connection after the queued items are written.
  func cut() {
    mute()
    queue.yield(.cut)
  }

  /// Ends writing after the queued items are written.
  func finish() {
    queue.finish()
  }

  /// Writes until the end; ignores write errors.
  func write(to wire: Wire) async -> End {
    for await item in items {
      switch item {
      case .bytes(let bytes): try? await wire.write(bytes)
      case .flood(let bytes, let number):
        guard (try? await wire.write(bytes(number))) != nil else { continue }
        queue.yield(.flood(bytes, number + 1))
      case .cut: return .cut
      }
    }
    return .finished
  }

  private struct NoRandomness: RandomNumberGenerator {
    mutating func next() -> UInt64 { 0 }
  }

  private static func frames(of payload: [UInt8], size: Int?) -> [UInt8] {
    let encoder = FrameEncoder(role: .server)
    // A server's frames are not masked and do not use the generator.
    var random = NoRandomness()
    var output: [UInt8] = []
    let size = max(size ?? payload.count, 1)
    for start in stride(from: 0, to: max(payload.count, 1), by: size) {
      let end = min(start + size, payload.count)
      let frame = Frame(
        isFinal: end == payload.count,
        opcode: start == 0 ? .text : .continuation,
        payload: Array(payload[start..<end])
      )
      encoder.encode(frame, into: &output, using: &random)
    }
    return output
  }
}
