// SPDX-License-Identifier: MIT

import OppiModel
import OppiTransport
import Testing
import WebSocketCodec

@testable import FakeServer
@testable import OppiHost

@Suite("Interventions in frames and bytes")
struct FrameInterventionTests {
  private static func frame(_ opcode: Opcode, _ payload: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = []
    var random = SystemRandomNumberGenerator()
    Frame(opcode: opcode, payload: payload)
      .encode(from: .server, into: &bytes, using: &random)
    return bytes
  }

  @Test("a fragmented message has several frames on the wire")
  func fragmentsOnTheWire() throws {
    var configuration = FakeServer.Configuration()
    configuration.interceptor = { step in
      if case .opened = step { .proceedFragmented(size: 30) } else { .proceed }
    }
    try TestClient.run(configuration) { client in
      let text = try await client.upgrade { $0.hasSuffix("}") }
      // The first frame is text, not final, and has 30 bytes; the second continues it.
      #expect(text.contains("\r\n\r\n\u{1}\u{1E}{\""))
      #expect(text.contains("\u{FFFD}\u{13}"))
    }
  }
}

extension FakeServer.Configuration {
  /// A server that intervenes at messages of a type.
  static func wrong(
    at type: String,
    _ intervention: @escaping @Sendable (JSONValue) -> Intervention
  ) -> FakeServer.Configuration {
    var configuration = FakeServer.Configuration()
    configuration.interceptor = { step in
      guard case .message(let message, _) = step, message["type"].string == type else {
        return .proceed
      }
      return intervention(message)
    }
    return configuration
  }
}
