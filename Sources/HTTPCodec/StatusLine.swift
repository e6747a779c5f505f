// SPDX-License-Identifier: MIT

/// The first line of a response (RFC 9112 section 4); the reason may be absent.
struct StatusLine: StartLine {
  let version: HTTPVersion
  let status: Int
  let reason: String

  static func canBegin(with bytes: ArraySlice<UInt8>) -> Bool {
    bytes.prefix(5).elementsEqual("HTTP/".utf8.prefix(bytes.count))
  }

  init(parsing line: ArraySlice<UInt8>) throws(HTTPError) {
    let words = line.split(
      separator: UInt8(ascii: " "),
      maxSplits: 2,
      omittingEmptySubsequences: false
    )
    version = try HTTPVersion(parsing: words[0])
    let reason = words.dropFirst(2).first ?? []
    guard words.count > 1, words[1].count == 3, let status = Int(digits: words[1], radix: 10),
      status >= 100, reason.allSatisfy(\.isFieldText)
    else { throw .malformedStatusLine }
    self.status = status
    self.reason = String(decoding: reason, as: UTF8.self)
  }
}
