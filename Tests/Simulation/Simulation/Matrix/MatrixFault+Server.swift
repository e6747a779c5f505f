// SPDX-License-Identifier: MIT

import FakeServer
import HTTPCodec
import OppiText
import OppiTransport

extension MatrixFault {
  /// Faults of a server on any connection.
  static let network: [MatrixFault] = [
    .server("hang", at: .anywhere, .hang),
    .server("drop", at: .anywhere, .drop),
    .server("perform and drop", at: .asked, .performThenDrop),
    .server("ignore", at: .streams, .ignore),
    .server("no HTTP", at: Set.requests.union([.connection]), text("SSH-2.0-OpenSSH_9.2\r\n")),
    .harmless("in pieces of 1", at: .asked, .proceedInPieces(size: 1)),
  ]

  /// Responses of a server that replace the correct response to a request.
  static let answers: [MatrixFault] =
    [400, 401, 403, 404, 409, 429, 500, 503].map { status in
      .server("\(status)", at: .requests, .answer(status: status, error: evil))
    } + [
      .server("no room", at: .answered, .answer(status: 503, error: full)),
      .server("redirect", at: .requests, body("", "302 Found\r\nLocation: http://evil.lan/")),
      .server("no content", at: .requests, .answer(HTTPResponse(status: 204))),
      .server("HTML", at: .requests, body("<html>\u{1B}[31m</html>")),
      .server("no body", at: .answered, body("")),
      .server("half JSON", at: .answered, body("{\"session\":{\"id\":")),
      .server("a list", at: .answered, body("[1]")),
      .server("empty object", at: .answered, body("{}")),
      .server("wrong types", at: .answered, body(wrongTypes.text())),
      .server("short body", at: .answered, text("\(ok)Content-Length: 99\r\n\r\n{", then: .drop)),
      .server("stuck body", at: .answered, text("\(ok)Content-Length: 99\r\n\r\n{")),
      .server("huge body", at: .answered, text("\(ok)Content-Length: 99999999999\r\n\r\n{")),
      .server("bad length", at: .answered, text("\(ok)Content-Length: -1\r\n\r\n{}")),
      .server("bad chunk", at: .answered, text("\(ok)Transfer-Encoding: chunked\r\n\r\nzz\r\n{}")),
      .server("huge head", at: .requests, text(ok + String(repeating: "a", count: 100_000))),
      .harmless("100 first", at: .requests, text("HTTP/1.1 100 Continue\r\n\r\n", then: .proceed)),
    ]

  /// Faults of a server in the WebSocket handshake.
  static let upgrades: [MatrixFault] = [
    .server("wrong key", at: [.upgrade]) { _ in upgrade("bm90IHRoZSByaWdodCBvbmUh") },
    .server("unasked extension", at: [.upgrade]) { step in
      upgrade("\(step.accept)\r\nSec-WebSocket-Extensions: permessage-deflate")
    },
    .server("unasked protocol", at: [.upgrade]) { step in
      upgrade("\(step.accept)\r\nSec-WebSocket-Protocol: chat")
    },
    .server("silent stream", at: [.upgrade]) { upgrade($0.accept) },
  ]

  private static let ok = "HTTP/1.1 200 OK\r\n"
  static let full = "Workspace session limit (3) reached"

  /// Members of all responses, each with a wrong type.
  private static let wrongTypes: JSONValue = [
    "session": ["id": 5, "status": [], "workspaceId": false], "sessions": ["x": 1],
    "workspaces": 7, "deviceToken": [1], "identity": ["fingerprint": 1], "name": [:],
    "events": "none", "pending": 1, "trace": 5, "error": ["a": 1], "uptime": "long",
  ]

  private static func text(
    _ text: String,
    then next: Intervention = .hang
  ) -> Intervention {
    .send(Array(text.utf8), then: next)
  }

  private static func body(_ body: String, _ status: String = "200 OK") -> Intervention {
    text(
      "HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)",
      then: .drop
    )
  }

  /// The response that opens a WebSocket, with no frame after it.
  private static func upgrade(_ accept: String) -> Intervention {
    text(
      "HTTP/1.1 101 X\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        + "Sec-WebSocket-Accept: \(accept)\r\n\r\n"
    )
  }
}

extension Step {
  /// The correct `Sec-WebSocket-Accept` for an upgrade.
  fileprivate var accept: String {
    guard case .request(let request, _) = self else { return "" }
    return ClientHandshake.accept(forKey: request.headers["Sec-WebSocket-Key"] ?? "")
  }
}
