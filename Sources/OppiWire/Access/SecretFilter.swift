// SPDX-License-Identifier: MIT

/// Removes known secrets from what a server sends, in one pass for all of them.
///
/// The search looks up a hash of the last two bytes of a window and skips what cannot begin a secret
/// (Wu and Manber, 1994), so that its cost hardly depends on the number of secrets.
package struct SecretFilter: Sendable {
  /// In bytes; what is shorter could be a word of an ordinary text, and is no secret.
  package static let shortest = 16
  package static let replacement = Array("[secret]".utf8)

  /// The latest last; bounded, because a service gets new ones for months.
  private var secrets: [[UInt8]] = []
  /// How far the window can move if it ends with a pair of bytes; small, because each start fills it.
  private var shifts = [UInt8](repeating: UInt8(shortest - 1), count: 1 << 12)
  /// The secrets whose window ends with a pair of bytes.
  private var candidates: [Int: [Int]] = [:]

  package init() {}

  /// Adds a secret; false if it is known or too short.
  @discardableResult
  package mutating func insert(_ secret: String) -> Bool {
    let bytes = Array(secret.utf8)
    guard bytes.count >= Self.shortest, !secrets.contains(bytes) else { return false }
    if secrets.count == Self.limit {
      let kept = secrets.dropFirst(Self.limit / 2)
      self = SecretFilter()
      for secret in kept { add(secret) }
    }
    add(bytes)
    return true
  }

  /// More than the tokens, keys and challenges of fifty servers.
  private static let limit = 256

  /// All windows have the shortest length.
  private mutating func add(_ secret: [UInt8]) {
    let last = Self.shortest - 2
    for place in 0...last {
      let pair = Self.pair(secret[place], secret[place + 1])
      shifts[pair] = min(shifts[pair], UInt8(last - place))
    }
    candidates[Self.pair(secret[last], secret[last + 1]), default: []].append(secrets.count)
    secrets.append(secret)
  }

  /// The place of a pair of bytes in the table, which it may share with others.
  private static func pair(_ first: UInt8, _ second: UInt8) -> Int { Int(first) << 4 ^ Int(second) }

  // MARK: - Text

  /// The text without secrets.
  package func redacted(_ text: String) -> String {
    redacted(Array(text.utf8)).map { String(decoding: $0, as: UTF8.self) } ?? text
  }

  /// A copy of a text, or of JSON, without secrets; `nil` if it contains none.
  ///
  /// A secret that JSON writes with escapes is found too; the rest of the JSON keeps its meaning.
  package func redacted(_ bytes: [UInt8]) -> [UInt8]? {
    guard !secrets.isEmpty, bytes.count >= Self.shortest else { return nil }
    if let plain = Self.plain(bytes), let found = replaced(plain) { return found }
    return replaced(bytes)
  }

  private func replaced(_ bytes: [UInt8]) -> [UInt8]? {
    var result: [UInt8] = []
    var done = 0
    bytes.withUnsafeBufferPointer { bytes in
      var start = 0
      while start + Self.shortest <= bytes.count {
        let end = start + Self.shortest
        let pair = Self.pair(bytes[end - 2], bytes[end - 1])
        let shift = shifts[pair]
        if shift > 0 {
          start += Int(shift)
        } else if let length = length(ofSecretAt: start, in: bytes, among: candidates[pair]) {
          result += bytes[done..<start]
          result += Self.replacement
          start += length
          done = start
        } else {
          start += 1
        }
      }
    }
    guard done > 0 else { return nil }
    return result + bytes[done...]
  }

  private func length(
    ofSecretAt start: Int,
    in bytes: UnsafeBufferPointer<UInt8>,
    among candidates: [Int]?
  ) -> Int? {
    var longest: Int?
    for number in candidates ?? [] {
      let secret = secrets[number]
      guard secret.count <= bytes.count - start, secret.count > longest ?? 0 else { continue }
      if secret.elementsEqual(bytes[start..<start + secret.count]) { longest = secret.count }
    }
    return longest
  }

  /// The same JSON with visible ASCII characters in place of their escapes, except quotation marks
  /// and backslashes; `nil` if it has no such escape.
  private static func plain(_ json: [UInt8]) -> [UInt8]? {
    var result: [UInt8] = []
    var done = 0
    var place = 0
    while let escape = json[place...].firstIndex(of: UInt8(ascii: "\\")), escape + 1 < json.count {
      let (length, character) = escaped(json[(escape + 1)...].prefix(5))
      if let character {
        result += json[done..<escape]
        result.append(character)
        done = escape + length
      }
      place = min(escape + length, json.count)
    }
    return done == 0 ? nil : result + json[done...]
  }

  /// The length of an escape with its backslash, and the visible ASCII character that it stands for.
  private static func escaped(_ rest: ArraySlice<UInt8>) -> (length: Int, character: UInt8?) {
    if rest.first == UInt8(ascii: "/") { return (2, UInt8(ascii: "/")) }
    guard rest.first == UInt8(ascii: "u"), rest.count == 5,
      let code = UInt8(String(decoding: rest.dropFirst(3), as: UTF8.self), radix: 16),
      rest.dropFirst().prefix(2).elementsEqual("00".utf8), (0x21...0x7E).contains(code),
      code != UInt8(ascii: "\""), code != UInt8(ascii: "\\")
    else { return (2, nil) }
    return (6, code)
  }
}
