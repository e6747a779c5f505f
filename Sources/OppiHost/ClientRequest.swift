// SPDX-License-Identifier: MIT

package import OppiModel

/// A message of a client to a session.
package struct ClientRequest: Sendable {
  /// Where the responses go.
  package let outlet: any Outlet
  /// Whether the message came over REST; what it is sent becomes the response.
  package let isREST: Bool
  package let type: String
  package let message: JSONValue

  package init(outlet: any Outlet, isREST: Bool = false, type: String, message: JSONValue) {
    self.outlet = outlet
    self.isREST = isREST
    self.type = type
    self.message = message
  }

  /// Reads a message of a stream; `nil` for text that is not JSON.
  package init(_ message: JSONValue?, from outlet: any Outlet) throws(StreamError) {
    guard let message else { throw .protocolError("Invalid JSON payload") }
    guard message.object != nil else {
      throw .protocolError("Message payload must be a JSON object")
    }
    guard let type = message["type"].string else {
      throw .protocolError("Message type is required")
    }
    self.init(outlet: outlet, type: type, message: message)
  }

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
  package func fail(with error: StreamError) {
    switch error {
    case .protocolError(let text): outlet.sendError(text)
    case .unsupported(let text): outlet.send(result(error: text), about: nil)
    case .foreignSession(let id):
      let text = "Bound session stream cannot target session \(id)"
      outlet.sendError(text)
      outlet.send(result(error: text), about: nil)
    case .refused(let text), .invalid(let text):
      guard requestID != nil || type == "subscribe" else { return outlet.sendError(text) }
      outlet.send(result(error: text), about: message["sessionId"].string)
    case .questionNotFound(let id):
      outlet.sendError("UI request not found: \(id)", about: message["sessionId"].string)
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
  /// Sent in an `error` without reference to a request.
  case protocolError(String)
  /// Sent in an `error` about the session.
  case questionNotFound(id: String)
}

extension Outlet {
  /// Reads a message and handles it, or answers with the error.
  package func answer(
    _ json: JSONValue?,
    handle: (ClientRequest) async throws(StreamError) -> Void
  ) async {
    do throws(StreamError) {
      let request = try ClientRequest(json, from: self)
      do throws(StreamError) {
        try await handle(request)
      } catch {
        request.fail(with: error)
      }
    } catch {
      if case .protocolError(let text) = error { sendError(text) }
    }
  }

  package func sendError(_ text: String, about sessionID: String? = nil) {
    send(["type": "error", "error": .string(text)], about: sessionID)
  }
}
