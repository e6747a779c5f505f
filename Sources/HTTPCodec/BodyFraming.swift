// SPDX-License-Identifier: MIT

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
