// SPDX-License-Identifier: MIT

import HTTPCodec
import OppiModel

extension HTTPResponse {
  /// A response with a JSON body and the headers of the real server.
  static func json(_ json: JSONValue, status: Int = 200) -> HTTPResponse {
    var response = HTTPResponse(status: status, reason: reason(for: status), headers: commonHeaders)
    response.headers.append(name: "Content-Type", value: "application/json")
    response.body = json.bytes()
    return response
  }

  static func error(
    _ status: Int,
    _ text: String,
    _ members: JSONObject = [:]
  ) -> HTTPResponse {
    .json(JSONValue.object(["error": .string(text)]).adding(members), status: status)
  }

  /// The response without the headers for web pages of other origins.
  var withoutCORS: HTTPResponse {
    var response = self
    response.headers = HTTPHeaders(
      headers.fields.filter { !$0.name.hasPrefix("Access-Control-") }
    )
    return response
  }

  /// The response to `OPTIONS`.
  static var noContent: HTTPResponse {
    HTTPResponse(status: 204, reason: reason(for: 204), headers: commonHeaders)
  }

  static func reason(for status: Int) -> String {
    switch status {
    case 101: "Switching Protocols"
    case 200: "OK"
    case 201: "Created"
    case 204: "No Content"
    case 400: "Bad Request"
    case 401: "Unauthorized"
    case 403: "Forbidden"
    case 404: "Not Found"
    case 409: "Conflict"
    case 413: "Payload Too Large"
    case 415: "Unsupported Media Type"
    case 422: "Unprocessable Entity"
    case 429: "Too Many Requests"
    case 500: "Internal Server Error"
    case 503: "Service Unavailable"
    default: ""
    }
  }

  private static let commonHeaders: HTTPHeaders = [
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Allow-Methods": "GET, POST, PUT, DELETE, OPTIONS",
    "Access-Control-Allow-Headers": "Authorization, Content-Type",
    "X-Oppi-Protocol": "2",
  ]

  /// The encoded response with the connection headers, chunked.
  func bytes(keepingAlive: Bool, at date: Timestamp) -> [UInt8] {
    var response = self
    response.headers.append(name: "Date", value: date.httpDate)
    response.headers.append(name: "Connection", value: keepingAlive ? "keep-alive" : "close")
    if keepingAlive { response.headers.append(name: "Keep-Alive", value: "timeout=5") }
    return response.bytes(chunked: true)
  }

  func bytes(chunked: Bool = false) -> [UInt8] {
    do {
      return try encoded(chunked: chunked)
    } catch {
      preconditionFailure("an answer that cannot be written: \(error)")
    }
  }
}
