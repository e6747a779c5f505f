// SPDX-License-Identifier: MIT

import OppiTransport
import TestSupport

@testable import FakeServer
@testable import OppiHost

extension TestClient {
  /// Sends a raw upgrade request and reads until the answer meets a condition or ends.
  func upgrade(
    _ target: String = "/stream",
    _ changes: [String: String?] = [:],
    until isEnough: (String) -> Bool
  ) async throws -> String {
    let headers: [String: String?] = [
      "Host": "here",
      "Upgrade": "websocket",
      "Connection": "Upgrade",
      "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
      "Sec-WebSocket-Version": "13",
      "Authorization": "Bearer \(server.ownerToken)",
    ]
    let lines = headers.merging(changes) { $1 }.compactMap { name, value in
      value.map { "\(name): \($0)\r\n" }
    }
    let request = "GET \(target) HTTP/1.1\r\n\(lines.joined())\r\n"
    let stream = try await network.open(destination, until: .farOff)
    try await stream.write(Array(request.utf8), until: .farOff)
    var bytes: [UInt8] = []
    while !isEnough(String(decoding: bytes, as: UTF8.self)) {
      let more = try await stream.read(until: .farOff)
      if more.isEmpty { break }
      bytes += more
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
