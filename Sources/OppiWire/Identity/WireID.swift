// SPDX-License-Identifier: MIT

package import OppiText

/// The server's ids of workspaces, sessions and permission requests.
package enum WireID {
  /// Whether it is valid in a request path: 1 to 64 characters of base64url, even `-` first.
  package static func isValid(_ text: some StringProtocol) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy { $0.isASCIIAlphanumeric || "-_".utf8.contains($0) }
  }

  /// Whether a name is as long as an id that a server assigns, and not a word.
  ///
  /// Servers assign random ids of at least 12 characters.
  package static func isWhole(_ name: String) -> Bool {
    name.utf8.count >= 12 && name.contains { $0.isNumber || $0.isUppercase }
  }
}

/// How a user names a session or a request: an id or the start of one, after `SERVER/` if several
/// servers may have it.
package struct PlacedID: Sendable {
  /// `nil` for any server.
  package let server: String?
  package let id: String

  package init(_ text: String) {
    let slash = text.lastIndex(of: "/")
    server = slash.map { String(text[..<$0]) }
    id = slash.map { String(text[text.index(after: $0)...]) } ?? text
  }
}

extension String {
  /// The id as an argument in a command line: after `--` if it would be read as an option.
  package var asOperand: String { hasPrefix("-") ? "-- \(self)" : self }
}

/// The shortest starts of ids that tell them apart; commands accept them instead of the ids.
package struct ShortIDs: Sendable {
  /// Shorter starts may soon match another id.
  private static let leastLength = 8

  private let lengths: [String: Int]

  package init(_ ids: some Sequence<String>) {
    let sorted = Set(ids).sorted()
    var shared = [Int](repeating: 0, count: sorted.count + 1)
    for index in sorted.indices.dropFirst() {
      shared[index] = zip(sorted[index - 1], sorted[index]).prefix { $0 == $1 }.count
    }
    lengths = Dictionary(
      uniqueKeysWithValues: sorted.indices.map { index in
        (sorted[index], max(Self.leastLength, max(shared[index], shared[index + 1]) + 1))
      }
    )
  }

  /// The start of an id; the whole id if it is short or unknown.
  package subscript(id: String) -> String {
    guard let length = lengths[id], id.count > length else { return id }
    return String(id.prefix(length))
  }
}

extension JSONField<String> {
  /// An id that is valid in a request path.
  package static var wireID: JSONField { JSONField(encode: { .string($0) }, decode: { $0.wireID }) }
}

extension JSONValue {
  /// An id that is valid in a request path; `nil` for any other value.
  package var wireID: String? { string.flatMap { WireID.isValid($0) ? $0 : nil } }
}
