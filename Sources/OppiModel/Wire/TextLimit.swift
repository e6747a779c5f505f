// SPDX-License-Identifier: MIT

/// How much of a server's text is kept, by what it is: no longer text reaches a rule or a renderer.
package enum TextLimit: Sendable {
  /// An id, a name, a word of the protocol.
  case name
  /// A sentence for a person: a reason, an error, a notification.
  case sentence
  /// What was said or printed: as much as a message can hold.
  case content

  /// The most bytes of UTF-8.
  var bytes: Int {
    switch self {
    case .name: 1 << 10
    case .sentence: 16 << 10
    case .content: 16 << 20
    }
  }
}

extension JSONValue {
  /// The start of a server's text within a limit; `nil` for any other kind of value.
  ///
  /// The types of the wire read text through this method alone.
  package func text(_ limit: TextLimit) -> String? { string?.head(bytes: limit.bytes) }

  /// An id that may stand in a request path; `nil` for any other value.
  package var wireID: String? { string.flatMap { WireID.isValid($0) ? $0 : nil } }
}
