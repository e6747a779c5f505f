// SPDX-License-Identifier: MIT

import EventLoop
import HTTPCodec
import OppiModel
import OppiTransport

/// Calls the routes of tokens, which need no authorization.
struct AccessExchange {
  let serverName: String
  let connection: HTTPConnection
  let loop: EventLoop

  struct Answer {
    var status: Int
    var json: JSONValue
    /// The server's clock, if it reports it.
    var serverTime: Timestamp?

    var isSuccess: Bool { (200..<300).contains(status) }
    /// The word for the refusal, for comparison only.
    var error: String? { json["error"].string }

    func failure(_ refusal: AccessRefusal?, server: String) -> IntentError {
      refusal.map { .accessRefused($0, server: server) }
        ?? .refused(status: status, message: json["error"].string?.safeLine(), server: server)
    }
  }

  func post(
    _ path: String,
    _ body: JSONValue,
    headers: HTTPHeaders = HTTPHeaders(),
    until deadline: EventLoop.Instant
  ) async throws(IntentError) -> Answer {
    var request = HTTPRequest(method: "POST", target: path, headers: headers)
    request.headers.append(name: "Accept", value: "application/json")
    request.headers.append(name: "Content-Type", value: "application/json")
    request.body = body.bytes(escapingNonASCII: true)
    let response: HTTPResponse
    do {
      response = try await connection.exchange(
        request,
        bodyLimit: Self.bodyLimit,
        until: deadline
      )
    } catch {
      throw .transport(error, server: serverName)
    }
    return Answer(
      status: response.status,
      json: (try? JSONValue(parsing: response.body)) ?? .null,
      serverTime: response.headers["Date"].flatMap { Timestamp(httpDate: $0) }
    )
  }

  /// In bytes; longer than any token.
  private static let bodyLimit = 65_536
}
