// SPDX-License-Identifier: MIT

/// Parses one response from a stream that may be split anywhere.
///
/// Skips interim (1xx) responses; 101 is final because another protocol follows. After an error,
/// every call throws the same error.
public struct HTTPResponseParser: Sendable {
  private var parser: MessageParser<StatusLine>

  /// Creates a parser; the method of the request determines whether the response can have a body.
  public init(method: String, limits: HTTPLimits = HTTPLimits()) {
    parser = MessageParser(limits: limits) { statusLine, headers throws(HTTPError) in
      try Self.framing(of: statusLine, headers, answering: method)
    }
  }

  /// The bytes after the response, such as frames after a 101; empty until the response is
  /// complete.
  public var leftover: [UInt8] { parser.leftover }

  /// The size of the body so far, in bytes.
  public var bodySize: Int { parser.bodySize }

  /// Adds bytes from the stream; returns the response when it is complete.
  ///
  /// - Throws: The violated rule or the exceeded limit.
  public mutating func receive(
    _ bytes: some Collection<UInt8>
  ) throws(HTTPError) -> HTTPResponse? {
    guard let message = try parser.receive(bytes) else { return nil }
    return HTTPResponse(message)
  }

  /// Handles the end of the stream, which completes a body without a length.
  ///
  /// - Throws: `truncated` if the response is incomplete, or the earlier error of `receive`.
  public mutating func receiveEndOfStream() throws(HTTPError) -> HTTPResponse {
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
  fileprivate init(_ message: ParsedMessage<StatusLine>) {
    self.init(
      status: message.startLine.status,
      reason: message.startLine.reason,
      headers: message.headers,
      body: message.body
    )
  }
}
