// SPDX-License-Identifier: MIT

import OppiModel

/// A message of a client over a stream.
struct StreamRequest {
  /// The number of the stream.
  let stream: Int
  let type: String
  let message: JSONValue

  var requestID: JSONValue? { message["requestId"].string.map(JSONValue.string) }

  /// The answer where one was asked for.
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

/// Why a message over a stream was refused.
enum StreamError: Error {
  /// Told in the answer, or in an `error` where no answer was asked for.
  case refused(String)
  /// Told in an `error` that names no request.
  case protocolError(String)
  case notSubscribed(sessionID: String)
  /// Told in an `error` about the session.
  case questionNotFound(id: String)
}
