// SPDX-License-Identifier: MIT

import EventLoop
import OppiTransport
import Synchronization

/// The server side of a connection; at most one task reads and one writes.
actor Wire {
  /// The maximum wait for a peer that neither reads nor writes.
  static let patience = Duration.seconds(3600)

  private let loop: EventLoop
  private let stream: ByteStream
  private let power: Power
  private var pieceSize: Int?

  init(over stream: sending ByteStream, power: Power, on loop: EventLoop) {
    self.loop = loop
    self.stream = stream
    self.power = power
  }

  func split(into pieceSize: Int) {
    self.pieceSize = pieceSize
  }

  /// Returns the next bytes; empty at the end of the stream.
  func read(for duration: Duration = patience) async throws(TransportError) -> [UInt8] {
    try await stream.read(until: loop.now + duration)
  }

  func write(_ bytes: [UInt8]) async throws(TransportError) {
    guard power.isOn else { throw .closed(.answer) }
    let deadline = loop.now + Self.patience
    guard let pieceSize else { return try await stream.write(bytes, until: deadline) }
    for start in stride(from: 0, to: bytes.count, by: pieceSize) {
      let piece = bytes[start..<min(start + pieceSize, bytes.count)]
      try await stream.write(Array(piece), until: deadline)
      await Task.yield()
    }
  }

  /// Reads and discards bytes until the end of the stream.
  func discardInput() async {
    while let bytes = try? await read(), !bytes.isEmpty {}
  }

  func shutDown() {
    if power.isOn { stream.shutDown() }
  }
}

/// Whether the server can send; may be used on any thread.
final class Power: Sendable {
  private let isOff = Atomic(false)

  var isOn: Bool { !isOff.load(ordering: .sequentiallyConsistent) }

  /// Prevents all further output on any connection.
  func cut() {
    isOff.store(true, ordering: .sequentiallyConsistent)
  }
}
