// SPDX-License-Identifier: MIT

/// Reads one response from a stream of bytes that may be cut anywhere.
///
/// Interim answers (1xx) before it are read over; 101 is final, since what follows it is another
/// protocol. After an error every further call throws the same error.
public struct HTTPResponseParser: Sendable {
  private var parser: MessageParser<StatusLine>

  /// Makes a parser for the answer to a request.
  ///
  /// - Parameters:
  ///   - method: The method of the request, which has a say in whether the answer has a body.
  ///   - limits: What the parser accepts.
  public init(method: String, limits: HTTPLimits = HTTPLimits()) {
    parser = MessageParser(limits: limits) { statusLine, headers throws(HTTPError) in
      try Self.framing(of: statusLine, headers, answering: method)
    }
  }

  /// The bytes after the response, such as the first frames after a 101; none until it is
  /// complete.
  public var leftover: [UInt8] { parser.leftover }

  /// Adds bytes from the stream, and returns the response once it is complete.
  ///
  /// - Throws: The rule that the bytes break, or the limit they go over.
  public mutating func receive(
    _ bytes: some Collection<UInt8>
  ) throws(HTTPError) -> HTTPResponse? {
    guard let message = try parser.receive(bytes) else { return nil }
    return HTTPResponse(message)
  }

  /// Takes note that the stream ended, which completes a body without a length.
  ///
  /// - Throws: `truncated` when the response is not complete, or the error `receive` threw.
  public mutating func receiveEndOfStream() throws(HTTPError) -> HTTPResponse {
    HTTPResponse(try parser.receiveEndOfStream())
  }

  /// The rules of RFC 9112 section 6.3 in their order; nil for an interim answer.
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
