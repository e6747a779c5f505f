// SPDX-License-Identifier: MIT

/// The first line of a request or of a response.
protocol StartLine: Sendable {
  var version: HTTPVersion { get }

  /// Whether a first line can begin with these bytes, of which there may be none yet.
  static func canBegin(with bytes: ArraySlice<UInt8>) -> Bool

  /// Reads the line, given without its end.
  init(parsing line: ArraySlice<UInt8>) throws(HTTPError)
}
