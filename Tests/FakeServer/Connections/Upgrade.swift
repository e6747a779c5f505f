// SPDX-License-Identifier: MIT

package import HTTPCodec
import OppiModel
import WebSocketCodec

/// The server side of the WebSocket handshake.
struct Upgrade {
  enum Verdict {
    case open(Stream.Kind)
    /// Encoded, because older servers send no headers.
    case refuse(status: Int, bytes: [UInt8])
  }

  let configuration: FakeServer.Configuration
  let pairing: PairingRoutes
  let access: AccessRoutes?
  let sessions: Sessions

  static func isAskedFor(by request: HTTPRequest) -> Bool {
    request.method == "GET"
      && request.headers.values(of: "Upgrade").contains { $0.lowercased() == "websocket" }
  }

  /// Checks the token, the path, the origin and the version, in this order.
  func verdict(on request: HTTPRequest) async -> Verdict {
    guard access?.accepts(bearerOf: request) ?? pairing.accepts(bearerOf: request) else {
      return refuse(401)
    }
    let path = String(request.target.prefix { $0 != "?" })
    guard let kind = await kind(ofPath: path) else { return refuse(404) }
    guard !configuration.dialect.checksOrigins || Self.hasOwnOrigin(request) else {
      return refuse(403)
    }
    guard request.headers["Sec-WebSocket-Version"] == "13",
      request.headers["Sec-WebSocket-Key"] != nil
    else { return refuse(400) }
    return .open(kind)
  }

  private func kind(ofPath path: String) async -> Stream.Kind? {
    switch configuration.dialect.stream {
    case .multiplexed:
      return path == "/stream" ? .multiplexed : nil
    case .perSession:
      guard let (sessionID, exists) = await session(ofPath: path), exists else { return nil }
      return .session(sessionID)
    case .session:
      if path == "/app/events/stream" { return .appEvents }
      guard let (sessionID, exists) = await session(ofPath: path) else { return nil }
      return exists ? .socket(sessionID) : .missingSession
    }
  }

  /// The session in the path of its stream; `nil` for another path.
  private func session(ofPath path: String) async -> (id: String, exists: Bool)? {
    let template = PathTemplate("/workspaces/:ws/sessions/:sid/stream")
    guard let parameters = template.match(path),
      let workspaceID = parameters["ws"], let id = parameters["sid"]
    else { return nil }
    return (id, await sessions.contains(id, inWorkspace: workspaceID))
  }

  /// Web pages may connect only to the host that they came from.
  private static func hasOwnOrigin(_ request: HTTPRequest) -> Bool {
    guard let origin = request.headers["Origin"] else { return true }
    let host = request.headers["Host"] ?? ""
    return ["http://\(host)", "https://\(host)"].contains(origin)
  }

  private func refuse(_ status: Int) -> Verdict {
    let reason = HTTPResponse.reason(for: status)
    guard configuration.dialect.checksOrigins else {
      return .refuse(status: status, bytes: Array("HTTP/1.1 \(status) \(reason)\r\n\r\n".utf8))
    }
    var response = HTTPResponse(status: status, reason: reason)
    if status == 401 {
      response.headers.append(name: "WWW-Authenticate", value: "Bearer realm=\"oppi\"")
    }
    response.headers.append(name: "Connection", value: "close")
    return .refuse(status: status, bytes: response.bytes())
  }
}

extension HTTPResponse {
  /// The response that opens a WebSocket, for interceptors.
  package static func upgrade(for request: HTTPRequest) -> HTTPResponse {
    HTTPResponse(
      status: 101,
      reason: reason(for: 101),
      headers: [
        "Upgrade": "websocket",
        "Connection": "Upgrade",
        "Sec-WebSocket-Accept": ClientHandshake.accept(
          forKey: request.headers["Sec-WebSocket-Key"] ?? ""
        ),
      ]
    )
  }
}
