// SPDX-License-Identifier: MIT

struct MessageParser<Line: StartLine>: Sendable {
  /// Returns the framing of the body; nil for an interim response, which another head follows.
  typealias Framing = @Sendable (Line, HTTPHeaders) throws(HTTPError) -> BodyFraming?

  private let limits: HTTPLimits
  private let framing: Framing
  private var input = InputBuffer()
  private var headParser: HeadParser<Line>
  private var interimHeads = 0
  private var head: (startLine: Line, headers: HTTPHeaders)?
  /// Set when the head is complete.
  private var body: BodyParser?
  private var failure: HTTPError?

  init(limits: HTTPLimits, framing: @escaping Framing) {
    self.limits = limits
    self.framing = framing
    headParser = HeadParser(limits: limits)
  }

  /// The bytes after the message; empty until the message is complete.
  var leftover: [UInt8] { body?.isComplete == true ? Array(input.unread) : [] }

  /// The size of the body so far, in bytes.
  var bodySize: Int { body?.body.count ?? 0 }

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

  /// Handles the end of the stream; returns the message if that completes it.
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

struct ParsedMessage<Line: StartLine>: Sendable {
  let startLine: Line
  let headers: HTTPHeaders
  var body: [UInt8]
}
