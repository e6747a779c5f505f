// SPDX-License-Identifier: MIT

struct MessageParser<Line: StartLine>: Sendable {
  /// Returns the framing of the body; nil for an interim response, which another head follows.
  typealias Framing = @Sendable (Line, HTTPHeaders) throws(HTTPError) -> BodyFraming?

  typealias Message = (startLine: Line, headers: HTTPHeaders, body: [UInt8])

  private let limits: HTTPLimits
  private let framing: Framing
  private var input = InputBuffer()
  private var startLine: Line?
  private var fields: FieldSection
  private var interimHeads = 0
  /// Set when the head is complete.
  private var body: BodyParser?
  private var failure: HTTPError?

  init(limits: HTTPLimits, framing: @escaping Framing) {
    self.limits = limits
    self.framing = framing
    fields = .head(limits)
  }

  /// The bytes after the message; empty until the message is complete.
  var leftover: [UInt8] { body?.isComplete == true ? Array(input.unread) : [] }

  /// The size of the body so far, in bytes.
  var bodySize: Int { body?.body.count ?? 0 }

  mutating func receive(_ bytes: [UInt8]) throws(HTTPError) -> Message? {
    if let failure { throw failure }
    input.append(bytes)
    do throws(HTTPError) {
      try readHead()
      return try body?.read(from: &input) == true ? message : nil
    } catch {
      failure = error
      throw error
    }
  }

  /// Handles the end of the stream; returns the message if that completes it.
  mutating func receiveEndOfStream() throws(HTTPError) -> Message {
    if let failure { throw failure }
    try body?.endOfStream()
    guard let message else { throw .truncated }
    return message
  }

  private var message: Message? {
    guard let startLine, let body else { return nil }
    return (startLine, fields.headers, body.body)
  }

  private mutating func readHead() throws(HTTPError) {
    while body == nil {
      if startLine == nil {
        guard Line.canBegin(with: input.unread) else { throw .notHTTP }
        guard let line = try fields.takeLine(from: &input) else { return }
        startLine = try Line(parsing: line)
      }
      guard let startLine, try fields.read(from: &input) else { return }
      if let framing = try framing(startLine, fields.headers) {
        body = try BodyParser(framing: framing, limits: limits)
      } else {
        interimHeads += 1
        guard interimHeads <= limits.interimResponses else { throw .tooManyInterimResponses }
        (self.startLine, fields) = (nil, .head(limits))
      }
    }
  }
}

protocol StartLine: Sendable {
  var version: HTTPVersion { get }

  /// Whether a first line can begin with these bytes, which may be empty.
  static func canBegin(with bytes: ArraySlice<UInt8>) -> Bool

  /// Parses the line, without its end.
  init(parsing line: ArraySlice<UInt8>) throws(HTTPError)
}

/// The version in a first line; later minor versions are treated as HTTP/1.1 (RFC 9110 section
/// 2.5).
enum HTTPVersion: Sendable {
  case http10
  case http11

  init(parsing bytes: ArraySlice<UInt8>) throws(HTTPError) {
    guard bytes.count == 8, bytes.starts(with: "HTTP/1.".utf8),
      let minor = Int(digits: bytes.suffix(1), radix: 10)
    else { throw .unsupportedVersion }
    self = minor == 0 ? .http10 : .http11
  }
}

/// Received bytes and the position of the next unread one.
struct InputBuffer: Sendable {
  private var bytes: [UInt8] = []
  private var position = 0
  /// There is no line end before this position, so no byte is searched twice.
  private var searched = 0

  var unread: ArraySlice<UInt8> { bytes[position...] }

  mutating func append(_ new: [UInt8]) {
    // Removing at least half of the bytes at once keeps the total cost linear.
    if position > bytes.count / 2 {
      bytes.removeSubrange(..<position)
      searched -= position
      position = 0
    }
    bytes.append(contentsOf: new)
  }

  /// Takes at most `limit` bytes, as many as are available.
  mutating func take(atMost limit: Int) -> ArraySlice<UInt8> {
    let taken = unread.prefix(limit)
    position = taken.endIndex
    searched = max(searched, position)
    return taken
  }

  /// Takes the next line with its line feed; returns nil while that is missing.
  ///
  /// Throws `error` if the line exceeds `limit` bytes, even if it is incomplete.
  mutating func takeLine(
    atMost limit: Int,
    orThrow error: HTTPError
  ) throws(HTTPError) -> ArraySlice<UInt8>? {
    let end = bytes[searched...].firstIndex(of: UInt8(ascii: "\n"))
    searched = end ?? bytes.endIndex
    let length = (end.map { $0 + 1 } ?? bytes.endIndex) - position
    guard length <= limit else { throw error }
    return end == nil ? nil : take(atMost: length)
  }
}
