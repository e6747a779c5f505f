// SPDX-License-Identifier: MIT

/// An HTTP response.
package struct HTTPResponse: Equatable, Sendable {
  /// The status, 100 to 999.
  package var status: Int
  /// The text after the status, often empty; it has no meaning.
  package var reason: String
  package var headers: HTTPHeaders
  /// The body, without chunking.
  package var body: [UInt8]

  package init(
    status: Int,
    reason: String = "",
    headers: HTTPHeaders = [:],
    body: [UInt8] = []
  ) {
    (self.status, self.reason, self.headers, self.body) = (status, reason, headers, body)
  }

  /// Returns the response as bytes, with a Content-Length or as a single chunk.
  ///
  /// A 1xx or 204 response has neither (RFC 9112 section 6), nor does a 304 response, which has no
  /// body.
  ///
  /// - Throws: If a part cannot be encoded.
  package func encoded(chunked: Bool = false) throws(HTTPEncodingError) -> [UInt8] {
    guard 100...999 ~= status else { throw .invalidStatus }
    guard reason.utf8.allSatisfy(\.isFieldText) else { throw .invalidReason }
    var output = Array("HTTP/1.1 \(status) \(reason)\r\n".utf8)

    guard !Self.hasNoBody(status) else {
      guard body.isEmpty else { throw .bodyNotAllowed }
      try headers.encode(framing: nil, into: &output)
      return output
    }
    guard chunked else {
      try headers.encode(framing: ("Content-Length", "\(body.count)"), into: &output)
      return output + body
    }
    try headers.encode(framing: ("Transfer-Encoding", "chunked"), into: &output)
    if !body.isEmpty {
      output += "\(String(body.count, radix: 16))\r\n".utf8
      output += body
      output += "\r\n".utf8
    }
    return output + "0\r\n\r\n".utf8
  }

  /// Whether responses with this status never have a body (RFC 9110 section 6.4.1).
  static func hasNoBody(_ status: Int) -> Bool {
    100...199 ~= status || status == 204 || status == 304
  }
}

/// Parses one response from a stream that may be split anywhere.
///
/// Skips interim (1xx) responses; 101 is final because another protocol follows. After an error,
/// every call throws the same error.
package struct HTTPResponseParser: Sendable {
  private var parser: MessageParser<StatusLine>

  /// Creates a parser; the method of the request determines whether the response can have a body.
  package init(method: String, limits: HTTPLimits = HTTPLimits()) {
    parser = MessageParser(limits: limits) { statusLine, headers throws(HTTPError) in
      try Self.framing(of: statusLine, headers, answering: method)
    }
  }

  /// The bytes after the response, such as frames after a 101; empty until the response is
  /// complete.
  package var leftover: [UInt8] { parser.leftover }

  /// The size of the body so far, in bytes.
  package var bodySize: Int { parser.bodySize }

  /// Adds bytes from the stream; returns the response when it is complete.
  ///
  /// - Throws: The violated rule or the exceeded limit.
  package mutating func receive(
    _ bytes: some Collection<UInt8>
  ) throws(HTTPError) -> HTTPResponse? {
    try parser.receive(Array(bytes)).map(HTTPResponse.init)
  }

  /// Handles the end of the stream, which completes a body without a length.
  ///
  /// - Throws: `truncated` if the response is incomplete, or the earlier error of `receive`.
  package mutating func receiveEndOfStream() throws(HTTPError) -> HTTPResponse {
    HTTPResponse(try parser.receiveEndOfStream())
  }

  /// Applies the rules of RFC 9112 section 6.3 in order; returns nil for an interim response.
  private static func framing(
    of statusLine: StatusLine,
    _ headers: HTTPHeaders,
    answering method: String
  ) throws(HTTPError) -> BodyFraming? {
    let status = statusLine.status
    if 100...199 ~= status && status != 101 { return nil }
    if method == "HEAD" || HTTPResponse.hasNoBody(status) { return .empty }
    if method == "CONNECT" && 200...299 ~= status { return .empty }
    return try .declared(by: headers, in: statusLine.version) ?? .untilEndOfStream
  }
}

extension HTTPResponse {
  fileprivate init(_ message: MessageParser<StatusLine>.Message) {
    let (line, headers, body) = message
    self.init(status: line.status, reason: line.reason, headers: headers, body: body)
  }
}

/// The first line of a response (RFC 9112 section 4); the reason may be absent.
struct StatusLine: StartLine {
  let version: HTTPVersion
  let status: Int
  let reason: String

  static func canBegin(with bytes: ArraySlice<UInt8>) -> Bool {
    bytes.prefix(5).elementsEqual("HTTP/".utf8.prefix(bytes.count))
  }

  init(parsing line: ArraySlice<UInt8>) throws(HTTPError) {
    let words = line.split(
      separator: UInt8(ascii: " "),
      maxSplits: 2,
      omittingEmptySubsequences: false
    )
    version = try HTTPVersion(parsing: words[0])
    let reason = words.dropFirst(2).first ?? []
    guard words.count > 1, words[1].count == 3, let status = Int(digits: words[1], radix: 10),
      status >= 100, reason.allSatisfy(\.isFieldText)
    else { throw .malformedStatusLine }
    self.status = status
    self.reason = String(decoding: reason, as: UTF8.self)
  }
}
