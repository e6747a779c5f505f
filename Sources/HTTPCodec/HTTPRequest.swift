// SPDX-License-Identifier: MIT

/// An HTTP request.
package struct HTTPRequest: Equatable, Sendable {
  /// The method, such as `GET`; case-sensitive.
  package var method: String
  /// The path and query or, for CONNECT, a host and a port.
  package var target: String
  package var headers: HTTPHeaders
  /// The body, without chunking.
  package var body: [UInt8]

  package init(
    method: String,
    target: String,
    headers: HTTPHeaders = [:],
    body: [UInt8] = []
  ) {
    (self.method, self.target, self.headers, self.body) = (method, target, headers, body)
  }

  /// Returns the request as bytes.
  ///
  /// Adds a Content-Length if there is a body or the method expects one (POST, PUT, PATCH). The
  /// caller provides the Host header.
  ///
  /// - Throws: If a part cannot be encoded. No caller's text can add a header or a second request.
  package func encoded() throws(HTTPEncodingError) -> [UInt8] {
    guard method.utf8.isToken else { throw .invalidMethod }
    guard method == "CONNECT" ? isAuthority : isOriginForm else { throw .invalidTarget }
    var output = Array("\(method) \(target) HTTP/1.1\r\n".utf8)
    let hasLength = !body.isEmpty || ["POST", "PUT", "PATCH"].contains(method)
    try headers.encode(
      framing: hasLength ? ("Content-Length", "\(body.count)") : nil,
      into: &output
    )
    return output + body
  }

  /// Whether the target is an absolute path with an optional query (RFC 9112 section 3.2.1).
  ///
  /// Many implementations read a path that begins with two slashes as a host.
  private var isOriginForm: Bool {
    target.hasPrefix("/") && !target.hasPrefix("//")
      && target.utf8.allSatisfy { $0.isVisible && $0 != UInt8(ascii: "#") }
  }

  /// Whether the target is a host and a port (RFC 9112 section 3.2.3).
  private var isAuthority: Bool {
    guard let colon = target.utf8.lastIndex(of: UInt8(ascii: ":")) else { return false }
    let host = target.utf8[..<colon]
    let port = Int(digits: target.utf8[colon...].dropFirst(), radix: 10)
    let isBracketed = target.hasPrefix("[") && host.last == UInt8(ascii: "]")
    return !host.isEmpty && (1...65_535).contains(port ?? 0)
      && host.allSatisfy { $0.isVisible && !"/?#@".utf8.contains($0) }
      && (isBracketed || !host.contains(UInt8(ascii: ":")))
  }
}

/// Parses one request from a stream that may be split anywhere.
///
/// The next request of the connection begins with `leftover` and needs a new parser. After an
/// error, every call throws the same error.
package struct HTTPRequestParser: Sendable {
  private var parser: MessageParser<RequestLine>

  package init(limits: HTTPLimits = HTTPLimits()) {
    parser = MessageParser(limits: limits) { requestLine, headers throws(HTTPError) in
      try .declared(by: headers, in: requestLine.version) ?? .empty
    }
  }

  /// The bytes after the request, such as the next one; empty until the request is complete.
  package var leftover: [UInt8] { parser.leftover }

  /// Adds bytes from the stream; returns the request when it is complete.
  ///
  /// - Throws: The violated rule or the exceeded limit.
  package mutating func receive(
    _ bytes: some Collection<UInt8>
  ) throws(HTTPError) -> HTTPRequest? {
    try parser.receive(Array(bytes)).map { line, headers, body in
      HTTPRequest(method: line.method, target: line.target, headers: headers, body: body)
    }
  }
}

/// The first line of a request (RFC 9112 section 3).
struct RequestLine: StartLine {
  /// Longer than any method in use; a longer word indicates another protocol.
  private static let maxMethodBytes = 32

  let version: HTTPVersion
  let method: String
  let target: String

  static func canBegin(with bytes: ArraySlice<UInt8>) -> Bool {
    let method = bytes.prefix(maxMethodBytes + 1).prefix { $0 != UInt8(ascii: " ") }
    guard !bytes.isEmpty else { return true }
    return method.isToken && method.count <= maxMethodBytes
  }

  init(parsing line: ArraySlice<UInt8>) throws(HTTPError) {
    let words = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
    guard words.count == 3, words[0].isToken, !words[1].isEmpty,
      words[1].allSatisfy(\.isVisible)
    else { throw .malformedRequestLine }
    method = String(decoding: words[0], as: UTF8.self)
    target = String(decoding: words[1], as: UTF8.self)
    version = try HTTPVersion(parsing: words[2])
  }
}
