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
    /// The server's words, without secrets.
    fileprivate var message: String?

    var isSuccess: Bool { (200..<300).contains(status) }
    /// The word for the refusal, for comparison only.
    var error: String? { json["error"].string }

    func failure(_ refusal: AccessRefusal?, server: String) -> IntentError {
      refusal.map { .accessRefused($0, server: server) }
        ?? .refused(status: status, message: message, server: server)
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
    // What the request proves itself with.
    for secret in Self.secrets(in: body, headers) { connection.secrets.learn(secret) }
    let response: HTTPResponse
    do {
      response = try await connection.wholeExchange(
        request,
        bodyLimit: Self.bodyLimit,
        until: deadline
      )
    } catch {
      throw .transport(error, server: serverName)
    }
    let json = (try? JSONValue(parsing: response.body)) ?? .null
    return Answer(
      status: response.status,
      json: json,
      // The date is rounded down; a lifetime must not be longer than the server's.
      serverTime: response.headers["Date"].flatMap { Timestamp(httpDate: $0) }?
        .moved(by: .seconds(1)),
      message: json["error"].string.map { connection.secrets.redacted($0).safeLine() }
    )
  }

  private static func secrets(in body: JSONValue, _ headers: HTTPHeaders) -> [String] {
    let key = body["devicePublicKey"]
    let members = [
      body["pairingToken"], body["nonce"], body["signature"], key["x"], key["y"],
    ]
    let tokens = headers["Authorization"].map { $0.split(separator: " ").dropFirst() } ?? []
    return (members.compactMap(\.string) + tokens.map(String.init)).filter { !$0.isEmpty }
  }

  /// In bytes; longer than any token.
  private static let bodyLimit = 65_536
}
