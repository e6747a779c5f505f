// SPDX-License-Identifier: MIT

/// Length limits for a server's text: longer texts are cut when they are read.
package enum TextLimit: Sendable {
  /// An id, a name or a keyword of the protocol.
  case name
  /// A sentence: a reason, an error or a notification.
  case sentence
  /// A message or output: as much as a protocol message can contain.
  case content

  /// In UTF-8.
  var bytes: Int {
    switch self {
    case .name: 1 << 10
    case .sentence: 16 << 10
    case .content: 16 << 20
    }
  }
}

extension JSONValue {
  /// Returns the start of a server's text within a limit; `nil` for any other kind of value.
  ///
  /// All protocol types read text with this method.
  package func text(_ limit: TextLimit) -> String? { string?.head(bytes: limit.bytes) }

  /// An id that is valid in a request path; `nil` for any other value.
  package var wireID: String? { string.flatMap { WireID.isValid($0) ? $0 : nil } }

  /// The text on one line, limited and safe to show; `nil` for any other kind of value.
  func line(_ limit: Int) -> String? { string?.safeLine(limit: limit) }

  /// The number, or 0 if negative; `nil` for any other kind of value.
  var count: Int? { int.map { max(0, $0) } }
}
