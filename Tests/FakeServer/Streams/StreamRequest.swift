// SPDX-License-Identifier: MIT

import OppiModel

struct StreamRequest {
  let stream: Int
  let type: String
  let message: JSONValue

  var requestID: JSONValue? { message["requestId"].string.map(JSONValue.string) }

  func result(_ data: JSONValue? = nil, error: String? = nil) -> JSONValue {
    .object([
      "type": "command_result",
      "command": .string(type),
      "requestId": requestID,
      "success": .bool(error == nil),
      "data": data,
      "error": error.map(JSONValue.string),
    ])
  }
}

enum StreamError: Error {
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
  case notSubscribed(sessionID: String)
  /// Sent in an `error` about the session.
  case questionNotFound(id: String)
}
