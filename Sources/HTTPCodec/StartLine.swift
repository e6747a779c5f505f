// SPDX-License-Identifier: MIT

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
