// SPDX-License-Identifier: MIT

/// Parses one request from a stream that may be split anywhere.
///
/// The next request of the connection begins with `leftover` and needs a new parser. After an
/// error, every call throws the same error.
public struct HTTPRequestParser: Sendable {
  private var parser: MessageParser<RequestLine>

  /// Creates a parser.
  public init(limits: HTTPLimits = HTTPLimits()) {
    parser = MessageParser(limits: limits) { requestLine, headers throws(HTTPError) in
      try .declared(by: headers, in: requestLine.version) ?? .empty
    }
  }

  /// The bytes after the request, such as the next one; empty until the request is complete.
  public var leftover: [UInt8] { parser.leftover }

  /// Adds bytes from the stream; returns the request when it is complete.
  ///
  /// - Throws: The violated rule or the exceeded limit.
  public mutating func receive(
    _ bytes: some Collection<UInt8>
  ) throws(HTTPError) -> HTTPRequest? {
    guard let message = try parser.receive(bytes) else { return nil }
    return HTTPRequest(message)
  }
}

extension HTTPRequest {
  fileprivate init(_ message: ParsedMessage<RequestLine>) {
    self.init(
      method: message.startLine.method,
      target: message.startLine.target,
      headers: message.headers,
      body: message.body
    )
  }
}
