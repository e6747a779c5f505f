// SPDX-License-Identifier: MIT

package import OppiText

/// Where the messages for a client go: a message about a session, or about none.
package typealias Outlet = @Sendable (_ message: JSONValue, _ sessionID: String?) -> Void

/// A message of a client to a session.
package struct ClientRequest: Sendable {
  /// Where the responses go.
  package let outlet: Outlet
  /// Whether the message came over REST; what it is sent becomes the response.
  package let isREST: Bool
  package let type: String
  package let message: JSONValue

  package init(outlet: @escaping Outlet, isREST: Bool = false, type: String, message: JSONValue) {
    self.outlet = outlet
    self.isREST = isREST
    self.type = type
    self.message = message
  }

  /// Reads a message of a stream, `nil` for text that is not JSON, and handles it or answers with
  /// the error.
  package static func answer(
    _ json: JSONValue?,
    over outlet: @escaping Outlet,
    handle: (ClientRequest) async throws(StreamError) -> Void
  ) async {
    guard let json else { return outlet(.error("Invalid JSON payload"), nil) }
    guard json.object != nil else {
      return outlet(.error("Message payload must be a JSON object"), nil)
    }
    guard let type = json["type"].string else {
      return outlet(.error("Message type is required"), nil)
    }
    let request = ClientRequest(outlet: outlet, type: type, message: json)
    do throws(StreamError) {
      try await handle(request)
    } catch {
      request.fail(with: error)
    }
  }

  var turnID: String? { message["clientTurnId"].string }

  package var requestID: JSONValue? { message["requestId"].string.map(JSONValue.string) }

  package func result(_ data: JSONValue? = nil, error: String? = nil) -> JSONValue {
    .object([
      "type": "command_result",
      "command": .string(type),
      "requestId": requestID,
      "success": .bool(error == nil),
      "data": data,
      "error": error.map(JSONValue.string),
    ])
  }

  /// Answers with an error in its form.
  func fail(with error: StreamError) {
    switch error {
    case .protocolError(let text, let id): outlet(.error(text), id)
    case .unsupported(let text): outlet(result(error: text), nil)
    case .foreignSession(let id):
      let text = "Bound session stream cannot target session \(id)"
      outlet(.error(text), nil)
      outlet(result(error: text), nil)
    case .refused(let text), .invalid(let text):
      guard requestID != nil || type == "subscribe" else { return outlet(.error(text), nil) }
      outlet(result(error: text), message["sessionId"].string)
    }
  }
}

package enum StreamError: Error {
  /// Sent in the response, or in an `error` if no response was requested.
  case refused(String)
  /// Like `refused`, for a field of the message; over REST with status 400.
  case invalid(String)
  /// Sent in the response, whether or not one was requested.
  case unsupported(String)
  /// Sent in an `error` and in the response.
  case foreignSession(id: String)
  /// Sent in an `error` without reference to a request, about a session if one is named.
  case protocolError(String, about: String? = nil)
}

extension JSONValue {
  fileprivate static func error(_ text: String) -> JSONValue {
    ["type": "error", "error": .string(text)]
  }
}
