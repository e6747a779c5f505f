// SPDX-License-Identifier: MIT

/// The first line of a request (RFC 9112 section 3).
struct RequestLine: StartLine {
  /// Longer than any method in use; a longer word indicates another protocol.
  private static let maxMethodBytes = 32

  let version: HTTPVersion
  let method: String
  let target: String

  static func canBegin(with bytes: ArraySlice<UInt8>) -> Bool {
    let method = bytes.prefix(maxMethodBytes + 1).prefix { $0 != UInt8(ascii: " ") }
    guard !bytes.isEmpty else { return true }
    return method.isToken && method.count <= maxMethodBytes
  }

  init(parsing line: ArraySlice<UInt8>) throws(HTTPError) {
    let words = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
    guard words.count == 3, words[0].isToken, !words[1].isEmpty,
      words[1].allSatisfy(\.isVisible)
    else { throw .malformedRequestLine }
    method = String(decoding: words[0], as: UTF8.self)
    target = String(decoding: words[1], as: UTF8.self)
    version = try HTTPVersion(parsing: words[2])
  }
}
