// SPDX-License-Identifier: MIT

import HTTPCodec
import OppiText
import OppiTransport
import OppiWire

/// A request of the REST interface, and how its answer is read.
package struct ServerRequest<Value: Sendable>: Sendable {
  let http: HTTPRequest
  let limit: AnswerLimit
  /// Reads the status and the body of an answer; long ones are read off the loop.
  let read: @Sendable (_ status: Int, _ body: [UInt8]) throws(UnusableAnswer) -> Value
}

/// The size limit of an answer in bytes, by its subject.
package enum AnswerLimit: Int, Sendable {
  /// A server, a session, a confirmation.
  case entry = 0x10_0000
  /// Enough for some ten thousand workspaces or sessions.
  case list = 0x100_0000
  /// A session's conversation.
  case conversation = 0x180_0000
}

/// Why an answer has no value.
enum UnusableAnswer: Error {
  /// The server refused the request; its words.
  case refused(String?)
  /// It does not follow the protocol; the part that is wrong.
  case malformed(String)

  /// Throws the server's words unless the status is that of a success.
  static func check(_ status: Int, _ body: [UInt8]) throws(UnusableAnswer) {
    guard !(200..<300).contains(status) else { return }
    throw .refused((try? JSONValue(parsing: body))?["error"].string?.safeLine())
  }
}

extension ServerRequest<JSONValue> {
  /// A request whose answer is a JSON object.
  static func call(
    _ method: String,
    _ path: String,
    body: JSONValue? = nil,
    limit: AnswerLimit = .entry
  ) -> Self {
    var http = HTTPRequest(method: method, target: path)
    if let body {
      http.headers.append(name: "Content-Type", value: "application/json")
      http.body = body.bytes(escapingNonASCII: true)
    }
    return .object(http, limit)
  }

  package static func get(_ path: String, limit: AnswerLimit = .entry) -> Self {
    .call("GET", path, limit: limit)
  }

  /// A request that sends a file, and whose answer is a JSON object.
  static func put(_ bytes: [UInt8], to path: String) -> Self {
    var http = HTTPRequest(method: "PUT", target: path)
    http.headers.append(name: "Content-Type", value: "application/octet-stream")
    http.body = bytes
    return .object(http, .entry)
  }

  private static func object(_ http: HTTPRequest, _ limit: AnswerLimit) -> Self {
    ServerRequest(http: http, limit: limit) { (status, body) throws(UnusableAnswer) in
      try UnusableAnswer.check(status, body)
      guard let json = try? JSONValue(parsing: body), json.object != nil else {
        throw .malformed("JSON")
      }
      return json
    }
  }

  /// The same request for a part of its answer; `name` names one that is missing.
  func reading<Part>(
    _ name: String,
    _ part: @escaping @Sendable (JSONValue) -> Part?
  ) -> ServerRequest<Part> {
    let read = read
    return ServerRequest<Part>(http: http, limit: limit) { (status, body) throws(UnusableAnswer) in
      guard let part = part(try read(status, body)) else { throw .malformed(name) }
      return part
    }
  }

  /// The same request for a value that every answer has.
  func map<Part>(_ part: @escaping @Sendable (JSONValue) -> Part) -> ServerRequest<Part> {
    reading("JSON") { .some(part($0)) }
  }

  /// The same request, whose change the server must confirm.
  var confirmed: ServerRequest<Void> {
    reading("confirmation") { $0["ok"] == true ? () : nil }
  }

  /// The same request for the session in its answer.
  var session: ServerRequest<Session> { reading("session") { Session(json: $0["session"]) } }
}

extension ServerRequest {
  /// The most elements of a list; a server with more is not usable, and each takes memory.
  private static var elementLimit: Int { 20_000 }

  /// A request for a list, which is read element by element, without the unusable ones.
  static func list<Element>(
    _ name: String,
    at path: String,
    _ element: @escaping @Sendable (JSONValue) -> Element?
  ) -> ServerRequest<[Element]> where Value == [Element] {
    let http = HTTPRequest(method: "GET", target: path)
    return ServerRequest(http: http, limit: .list) { (status, body) throws(UnusableAnswer) in
      try UnusableAnswer.check(status, body)
      var elements: [Element] = []
      var count = 0
      let json = try? JSONValue(parsing: body, list: name) {
        count += 1
        if count <= elementLimit, let element = element($0) { elements.append(element) }
      }
      guard let json, json.object != nil else { throw .malformed("JSON") }
      guard json[name].array != nil, count <= elementLimit else { throw .malformed(name) }
      return elements
    }
  }
}

extension OppiError {
  /// An answer that is larger than this program reads.
  static func tooLarge(
    answerTo request: HTTPRequest,
    _ limit: AnswerLimit,
    server: String
  ) -> OppiError {
    let path = String(request.target.prefix { $0 != "?" })
    let isSessionList =
      request.method == "GET" && ["/sessions", "/sessions/recent"].contains(where: path.hasSuffix)
    return OppiError(
      .protocolBroken,
      "the answer of \(server) to \(request.method) \(path.safeLine(limit: 120)) is larger than "
        + size(limit.rawValue),
      hints: [isSessionList ? "end idle sessions, and delete old ones" : checkVersion],
      because: .transport(.malformedAnswer(.bodyTooLarge))
    )
  }
}
