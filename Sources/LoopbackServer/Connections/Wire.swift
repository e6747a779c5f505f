// SPDX-License-Identifier: MIT

import EventLoop
import OppiTransport
import Synchronization

/// The server's end of a connection; one task reads and one writes.
actor Wire {
  /// The longest wait for a peer that neither reads nor writes.
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

  /// Lets every later write go out in pieces of so many bytes.
  func split(into pieceSize: Int) {
    self.pieceSize = pieceSize
  }

  /// Returns the next bytes, none at the end of the stream.
  func read(for duration: Duration = patience) async throws(TransportError) -> [UInt8] {
    try await stream.read(until: loop.now + duration)
  }

  /// Writes all the bytes.
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

  /// Reads until nothing more comes, and keeps nothing of it.
  func discardInput() async {
    while let bytes = try? await read(), !bytes.isEmpty {}
  }

  /// Tells the peer that nothing more will come.
  func shutDown() {
    if power.isOn { stream.shutDown() }
  }
}

/// Whether a server can still say anything; may be used on any thread.
final class Power: Sendable {
  private let isOff = Atomic(false)

  var isOn: Bool { !isOff.load(ordering: .sequentiallyConsistent) }

  /// Lets nothing leave the server any more, on any connection.
  func cut() {
    isOff.store(true, ordering: .sequentiallyConsistent)
  }
}
