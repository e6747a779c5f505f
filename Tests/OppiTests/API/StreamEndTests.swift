// SPDX-License-Identifier: MIT

import EventLoop
import FakeServer
import OppiModel
import TestSupport
import Testing
import WebSocketCodec

@testable import Oppi

/// Why a server closed a stream.
@Suite struct StreamEndTests {
  /// The reason of the error that a stream ends with, if the server closes it at once.
  private static func reason(
    of code: UInt16?,
    _ words: String,
    over dialect: Dialect
  ) async throws -> OppiError.Reason? {
    let bench = try Bench(dialect) { configuration in
      configuration.interceptor = { step in
        guard case .opened = step else { return .proceed }
        return .close(code.map { CloseCode(rawValue: $0) }, reason: words)
      }
    }
    return try await bench.run { desk in
      var session = try await desk.newSession()
      session.server.dialect = dialect
      do {
        let socket = try await desk.direct.until(.farOff).openStream(of: session)
        while true { _ = try await socket.receive(until: .farOff) }
      } catch let error as OppiError {
        return error.reason
      }
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
  func explained(code: UInt16?, words: String, reason: OppiError.Reason) async throws {
    #expect(try await Self.reason(of: code, words, over: .sessionSockets) == reason)
  }

  @Test(
    "the code of an older server's stream tells nothing",
    arguments: [(4001, ""), (1008, "Device revoked"), (1011, "retry required")]
      as [(UInt16, String)]
  )
  func unexplained(code: UInt16, words: String) async throws {
    for dialect in Bench.dialects {
      #expect(try await Self.reason(of: code, words, over: dialect) == .hungUp)
    }
  }
}
