// SPDX-License-Identifier: MIT

import FakeServer
import OppiWire
import Simulation
import Testing
import WebSocketCodec

@testable import OppiClient
@testable import OppiTestSupport

/// Why a server closed a stream.
@Suite struct StreamEndTests {
  /// Expects the reason of the error that a stream ends with if the server closes it at once.
  private static func expect(
    _ reason: OppiError.Reason,
    of code: UInt16?,
    _ words: String,
    over dialect: Dialect
  ) {
    inFlowWorld(dialect, known: dialect) { configuration in
      configuration.interceptor = { step in
        guard case .opened = step else { return .proceed }
        return .close(code.map { CloseCode(rawValue: $0) }, reason: words)
      }
    } _: { flow in
      let session = try await flow.newSession()
      let error = await #expect(throws: OppiError.self) {
        let socket = try await flow.calls.openStream(of: session)
        while true { _ = try await socket.receive(until: flow.farOff) }
      }
      #expect(error?.reason == reason)
    }
  }

  @Test(
    "the code of a session's stream tells why it ended",
    arguments: [
      (4001, "", .streamExpired), (1011, "Queue full; retry required", .streamExpired),
      (1011, "retry required, later", .hungUp), (1011, "", .hungUp),
      (1008, "Session not found: x", .unknownSession),
      (1008, "Device revoked", .accessRefused(.revoked)),
      (1008, "Device revoked?", .refused(401, "Device revoked?")),
      (1009, "", .malformedAnswer), (1002, "", .malformedAnswer), (1000, "", .hungUp),
      (1001, "retry required", .hungUp), (nil, "", .hungUp),
    ] as [(UInt16?, String, OppiError.Reason)]
  )
  func explained(code: UInt16?, words: String, reason: OppiError.Reason) {
    Self.expect(reason, of: code, words, over: .sessionSockets)
  }

  @Test(
    "the code of an older server's stream tells nothing",
    arguments: [(4001, ""), (1008, "Device revoked"), (1011, "retry required")]
      as [(UInt16, String)]
  )
  func unexplained(code: UInt16, words: String) {
    for dialect in Dialect.both { Self.expect(.hungUp, of: code, words, over: dialect) }
  }

  @Test("a stream that the server has closed is shut at once, although a flow keeps it")
  func shut() {
    inFlowWorld(.sessionSockets, known: .sessionSockets) { configuration in
      configuration.interceptor = { step in
        guard case .opened = step else { return .proceed }
        return .close(CloseCode(rawValue: 4001), reason: "auth_expired")
      }
    } _: { flow in
      let session = try await flow.newSession()
      let socket = try await flow.calls.openStream(of: session)
      await #expect(throws: OppiError.self) {
        while true { _ = try await socket.receive(until: flow.farOff) }
      }
      #expect(flow.world.network.openConnections == 0)
      await socket.close()
    }
  }
}
