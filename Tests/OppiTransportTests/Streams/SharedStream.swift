// SPDX-License-Identifier: MIT

import TestSupport

@testable import OppiTransport

/// A stream that several tasks share, like that of a WebSocket.
actor SharedStream {
  private let stream: ByteStream

  init(_ stream: sending ByteStream) { self.stream = stream }

  func read(atMost limit: Int = ByteStream.chunkSize) async throws -> [UInt8] {
    try await stream.read(until: .farOff, atMost: limit)
  }

  func read(count: Int) async throws -> [UInt8] { try await stream.read(count: count) }

  func write(_ bytes: [UInt8]) async throws { try await stream.write(bytes) }

  func shutDown() { stream.shutDown() }

  /// Forwards all bytes to another stream until the end, and records them.
  func forward(to other: SharedStream, recording copy: Received) async {
    while let bytes = try? await read(), !bytes.isEmpty {
      copy.add(bytes)
      guard (try? await other.write(bytes)) != nil else { break }
    }
    await other.shutDown()
  }
}
