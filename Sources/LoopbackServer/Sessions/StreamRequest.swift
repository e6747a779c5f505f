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
    .members([
      "type": "command_result",
      "command": .string(type),
      "requestId": requestID,
      "success": .bool(error == nil),
      "data": data,
      "error": error.map(JSONValue.string),
    ])
  }
}
