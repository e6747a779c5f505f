// SPDX-License-Identifier: MIT

/// Parses a body in any HTTP/1.1 framing and removes the chunking.
struct BodyParser: Sendable {
  private enum State {
    case data(left: Int, inChunk: Bool)
    case chunkSize
    case chunkEnd
    case trailers
    case untilEndOfStream
    case complete
  }

  private(set) var body: [UInt8] = []
  private var state: State
  private var trailers: FieldSection
  private let limits: HTTPLimits

  init(framing: BodyFraming, limits: HTTPLimits) throws(HTTPError) {
    self.limits = limits
    trailers = .trailers(limits)
    switch framing {
    case .empty: state = .complete
    case .length(let length):
      guard length <= limits.bodyBytes else { throw .bodyTooLarge }
      state = length == 0 ? .complete : .data(left: length, inChunk: false)
    case .chunked: state = .chunkSize
    case .untilEndOfStream: state = .untilEndOfStream
    }
  }

  var isComplete: Bool {
    if case .complete = state { true } else { false }
  }

  /// Consumes the available input; returns whether the body is complete.
  mutating func read(from input: inout InputBuffer) throws(HTTPError) -> Bool {
    while !isComplete {
      guard try step(&input) else { return false }
    }
    return true
  }

  /// Handles the end of the stream, which completes a body without a length.
  mutating func endOfStream() throws(HTTPError) {
    switch state {
    case .untilEndOfStream, .complete: state = .complete
    default: throw .truncated
    }
  }

  /// Parses one element; returns false if it needs more bytes.
  private mutating func step(_ input: inout InputBuffer) throws(HTTPError) -> Bool {
    switch state {
    case .data(let left, let inChunk):
      let bytes = input.take(atMost: left)
      guard !bytes.isEmpty else { return false }
      body.append(contentsOf: bytes)
      if bytes.count < left {
        state = .data(left: left - bytes.count, inChunk: inChunk)
      } else {
        state = inChunk ? .chunkEnd : .complete
      }
    case .chunkSize:
      guard let size = try chunkSize(from: &input) else { return false }
      guard size <= limits.bodyBytes - body.count else { throw .bodyTooLarge }
      state = size == 0 ? .trailers : .data(left: size, inChunk: true)
    case .chunkEnd:
      guard input.unread.count >= 2 else { return false }
      guard input.take(atMost: 2).elementsEqual("\r\n".utf8) else { throw .missingChunkEnd }
      state = .chunkSize
    case .trailers:
      guard try trailers.read(from: &input) else { return false }
      state = .complete
    case .untilEndOfStream:
      guard input.unread.count <= limits.bodyBytes - body.count else { throw .bodyTooLarge }
      body.append(contentsOf: input.take(atMost: .max))
      return false
    case .complete:
      return false
    }
    return true
  }

  /// Parses the line that begins a chunk and ignores its extensions.
  ///
  /// Unlike a header line it must end with CRLF: accepting a lone line feed enables request
  /// smuggling.
  private func chunkSize(from input: inout InputBuffer) throws(HTTPError) -> Int? {
    let taken = try input.takeLine(atMost: limits.chunkLineBytes, orThrow: .chunkLineTooLong)
    guard let line = taken else { return nil }
    let text = line.dropLast(2)
    let digits = text.prefix { $0 != UInt8(ascii: ";") && !$0.isBlank }
    let rest = text[digits.endIndex...]
    guard line.suffix(2).elementsEqual("\r\n".utf8), rest.allSatisfy(\.isFieldText),
      [nil, UInt8(ascii: ";")].contains(rest.first { !$0.isBlank }),
      let size = Int(digits: digits, radix: 16)
    else { throw .invalidChunkSize }
    return size
  }
}

/// The framing of a body, which determines its end (RFC 9112 section 6.3).
enum BodyFraming: Equatable, Sendable {
  case empty
  case length(Int)
  case chunked
  case untilEndOfStream

  /// Returns the framing that the headers declare; nil if they declare none.
  ///
  /// Throws if two implementations could interpret the headers differently; nothing is repaired.
  static func declared(
    by headers: HTTPHeaders,
    in version: HTTPVersion
  ) throws(HTTPError) -> BodyFraming? {
    if headers["Transfer-Encoding"] != nil {
      guard headers["Content-Length"] == nil else { throw .contentLengthWithTransferEncoding }
      let codings = headers.values(of: "Transfer-Encoding")
      guard codings.count == 1, codings[0].equalsIgnoringCase("chunked"), version == .http11 else {
        throw .unsupportedTransferEncoding
      }
      return .chunked
    }
    guard headers["Content-Length"] != nil else { return nil }
    var lengths: Set<Int> = []
    for value in headers.values(of: "Content-Length") {
      guard let length = Int(digits: value.utf8, radix: 10) else {
        throw .invalidContentLength
      }
      lengths.insert(length)
    }
    guard let length = lengths.first else { throw .invalidContentLength }
    guard lengths.count == 1 else { throw .conflictingContentLengths }
    return .length(length)
  }
}
