// SPDX-License-Identifier: MIT

import HTTPCodec
import OppiModel
import OppiTransport
import Testing
import WebSocketCodec

@testable import FakeServer
@testable import OppiHost

@Suite("Upgrades")
struct UpgradeTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    var dialect = Dialect.multiplexed
    var target = "/stream"
    var changes: [String: String?] = [:]
    let status: Int

    var testDescription: String { name }
  }

  private static let cases = [
    Case(name: "a correct request", status: 101),
    Case(name: "no token", changes: ["Authorization": nil], status: 401),
    Case(name: "a wrong token", changes: ["Authorization": "Bearer wrong"], status: 401),
    Case(name: "the path of older servers", target: "/workspaces/x/sessions/y/stream", status: 404),
    Case(name: "a trailing slash", target: "/stream/", status: 404),
    Case(name: "an old WebSocket version", changes: ["Sec-WebSocket-Version": "8"], status: 400),
    Case(
      name: "an older server without a token",
      dialect: .perSession,
      changes: ["Authorization": nil],
      status: 401
    ),
    Case(
      name: "an unknown path of an older server",
      dialect: .perSession,
      status: 404
    ),
  ]

  @Test("an upgrade is answered as recorded", arguments: cases)
  func verdict(_ given: Case) throws {
    try TestClient.run(.with { $0.dialect = given.dialect }) { client in
      let head = try await client.upgrade(given.target, given.changes) {
        $0.contains("\r\n\r\n")
      }
      #expect(head.hasPrefix("HTTP/1.1 \(given.status) "))
      #expect(client.server.journal.requests.map(\.status) == [given.status])
      if given.status == 101 {
        #expect(head.contains("Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"))
      } else {
        #expect(head.contains("Connection: close\r\n"))
        let challenge = "WWW-Authenticate: Bearer realm=\"oppi\"\r\n"
        #expect(head.contains(challenge) == (given.status == 401))
      }
    }
  }
}
