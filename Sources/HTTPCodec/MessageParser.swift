// SPDX-License-Identifier: MIT

/// Reads one message of either kind: a head, and the body that it frames.
struct MessageParser<Line: StartLine>: Sendable {
  /// Decides how the body of a head is framed; nil means that the head is an interim answer and
  /// another follows.
  typealias Framing = @Sendable (Line, HTTPHeaders) throws(HTTPError) -> BodyFraming?

  private let limits: HTTPLimits
  private let framing: Framing
  private var input = InputBuffer()
  private var headParser: HeadParser<Line>
  private var interimHeads = 0
  private var head: (startLine: Line, headers: HTTPHeaders)?
  /// The reader of the body, there once the head is.
  private var body: BodyParser?
  private var failure: HTTPError?

  init(limits: HTTPLimits, framing: @escaping Framing) {
    self.limits = limits
    self.framing = framing
    headParser = HeadParser(limits: limits)
  }

  /// The bytes after the message, none until it is complete.
  var leftover: [UInt8] { body?.isComplete == true ? Array(input.unread) : [] }

  /// Adds bytes, and returns the message once it is complete.
  mutating func receive(
    _ bytes: some Collection<UInt8>
  ) throws(HTTPError) -> ParsedMessage<Line>? {
    if let failure { throw failure }
    input.append(bytes)
    do throws(HTTPError) {
      try readHead()
      guard try body?.read(from: &input) == true else { return nil }
      return message
    } catch {
      failure = error
      throw error
    }
  }

  /// Takes note that the stream ended, and returns the message if that is how it ends.
  mutating func receiveEndOfStream() throws(HTTPError) -> ParsedMessage<Line> {
    if let failure { throw failure }
    try body?.endOfStream()
    guard let message else { throw .truncated }
    return message
  }

  private var message: ParsedMessage<Line>? {
    guard let head, let body else { return nil }
    return ParsedMessage(startLine: head.startLine, headers: head.headers, body: body.body)
  }

  private mutating func readHead() throws(HTTPError) {
    while body == nil, let (startLine, headers) = try headParser.read(from: &input) {
      if let framing = try framing(startLine, headers) {
        head = (startLine, headers)
        body = try BodyParser(framing: framing, limits: limits)
      } else {
        interimHeads += 1
        guard interimHeads <= limits.interimResponses else { throw .tooManyInterimResponses }
        headParser = HeadParser(limits: limits)
      }
    }
  }
}

/// A whole message of either kind.
struct ParsedMessage<Line: StartLine>: Sendable {
  let startLine: Line
  let headers: HTTPHeaders
  var body: [UInt8]
}
