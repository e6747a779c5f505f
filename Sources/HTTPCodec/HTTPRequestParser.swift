// SPDX-License-Identifier: MIT

/// Reads one request from a stream of bytes that may be cut anywhere.
///
/// The next request on the connection begins with `leftover` and needs a parser of its own. After
/// an error every further call throws the same error.
public struct HTTPRequestParser: Sendable {
  private var parser: MessageParser<RequestLine>

  /// Makes a parser with limits on what it accepts.
  public init(limits: HTTPLimits = HTTPLimits()) {
    parser = MessageParser(limits: limits) { requestLine, headers throws(HTTPError) in
      try .declared(by: headers, in: requestLine.version) ?? .empty
    }
  }

  /// The bytes after the request, such as the next one; none until it is complete.
  public var leftover: [UInt8] { parser.leftover }

  /// Adds bytes from the stream, and returns the request once it is complete.
  ///
  /// - Throws: The rule that the bytes break, or the limit they go over.
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
