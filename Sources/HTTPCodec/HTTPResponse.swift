// SPDX-License-Identifier: MIT

/// An HTTP response.
public struct HTTPResponse: Equatable, Sendable {
  /// The status, 100 to 999.
  public var status: Int
  /// The text after the status, often empty; it has no meaning.
  public var reason: String
  /// The headers, in order.
  public var headers: HTTPHeaders
  /// The body, without chunking.
  public var body: [UInt8]

  /// Creates a response.
  public init(
    status: Int,
    reason: String = "",
    headers: HTTPHeaders = [:],
    body: [UInt8] = []
  ) {
    self.status = status
    self.reason = reason
    self.headers = headers
    self.body = body
  }
}

extension HTTPResponse {
  /// Returns the response as bytes, with a Content-Length or as a single chunk.
  ///
  /// A 1xx or 204 response has neither (RFC 9112 section 6), nor does a 304 response, which has no
  /// body.
  ///
  /// - Throws: If a part cannot be encoded.
  public func encoded(chunked: Bool = false) throws(HTTPEncodingError) -> [UInt8] {
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
