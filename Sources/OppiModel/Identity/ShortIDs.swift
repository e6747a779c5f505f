// SPDX-License-Identifier: MIT

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
