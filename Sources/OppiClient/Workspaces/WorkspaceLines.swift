// SPDX-License-Identifier: MIT

import OppiText
import OppiWire

/// The format of the workspace cache: one JSON object with a line per workspace, so that workspaces
/// are found by name without parsing the others.
enum WorkspaceLines {
  private static let begin = #"{"servers":{"#
  private static let lineFeed = UInt8(ascii: "\n")

  // MARK: - Writing

  /// Formats the object of the file.
  static func bytes(of members: JSONObject) -> [UInt8] {
    var bytes = Array("\(begin)\n".utf8)
    let servers = (members["servers"]?.object ?? [:]).sorted { $0.key < $1.key }
    for (index, server) in servers.enumerated() {
      bytes += JSONValue.string(server.key).bytes() + [UInt8(ascii: ":")]
      bytes += Self.bytes(ofServer: server.value)
      bytes += (index < servers.count - 1 ? "," : "").utf8 + [lineFeed]
    }
    return bytes + Array("}}\n".utf8)
  }

  private static func bytes(ofServer server: JSONValue) -> [UInt8] {
    guard let workspaces = server["workspaces"].array else { return server.bytes() }
    var bytes = Array(#"{"fetchedAt":"#.utf8) + server["fetchedAt"].bytes()
    bytes += #","workspaces":["#.utf8
    for (index, workspace) in workspaces.enumerated() {
      bytes += [lineFeed] + workspace.bytes()
      if index < workspaces.count - 1 { bytes.append(UInt8(ascii: ",")) }
    }
    return bytes + [lineFeed] + Array("]}".utf8)
  }

  // MARK: - Reading

  struct Choice {
    /// Text that the lines contain, in lower case and plain ASCII.
    var text: String
    var limit = Int.max
    var accepts: (Fingerprint, Workspace) -> Bool = { _, _ in true }
  }

  /// The part after the last slash or space, as a line contains it; `nil` if it may be escaped.
  static func text(of name: String) -> String? {
    let end = name.lastIndex { $0 == "/" || $0 == " " }.map { name[name.index(after: $0)...] }
    let text = (end ?? name[...]).lowercased()
    return text.isEmpty || !text.utf8.allSatisfy(isPlain) ? nil : text
  }

  /// Whether a byte appears unescaped in a line, ignoring case.
  private static func isPlain(_ byte: UInt8) -> Bool {
    (0x20...0x7E).contains(byte) && byte != UInt8(ascii: "\\") && byte != UInt8(ascii: "\"")
  }

  /// The selected workspaces of each server; `nil` if the file has another layout.
  static func entries(in bytes: [UInt8], _ choice: Choice) -> [Fingerprint: WorkspaceCache.Entry]? {
    var scanner = LineScanner(bytes, lookingFor: choice.text)
    guard scanner.next(), scanner.holds(begin) else { return nil }
    var entries: [Fingerprint: WorkspaceCache.Entry] = [:]
    var (server, count): (Fingerprint?, Int) = (nil, 0)
    while count < choice.limit, scanner.next() {
      switch scanner.first {
      case UInt8(ascii: "{"):
        guard let server else { return nil }
        guard scanner.mayMatch else { continue }
        guard let json = object(in: bytes[scanner.line], closedBy: "") else { return nil }
        guard let workspace = Workspace(json: json), choice.accepts(server, workspace) else {
          continue
        }
        entries[server]?.workspaces.append(workspace)
        count += 1
      case UInt8(ascii: "\""):
        guard let header = object(in: [UInt8(ascii: "{")] + bytes[scanner.line], closedBy: "]}}"),
          let (name, value) = header.object?.first, let id = Fingerprint(name),
          let fetchedAt = value["fetchedAt"].string.flatMap(Timestamp.init(iso8601:))
        else { return nil }
        server = id
        entries[id] = WorkspaceCache.Entry(fetchedAt: fetchedAt, workspaces: [])
      case UInt8(ascii: "]"), UInt8(ascii: "}"): server = nil
      default: return nil
      }
    }
    return entries
  }

  private static func object(in line: some Sequence<UInt8>, closedBy end: String) -> JSONValue? {
    var bytes = Array(line)
    if bytes.last == UInt8(ascii: ",") { bytes.removeLast() }
    do {
      return try JSONValue(parsing: bytes + end.utf8)
    } catch {
      return nil
    }
  }
}

/// Iterates over the lines of a text and searches each for a word.
private struct LineScanner {
  private static let lineFeed = UInt8(ascii: "\n")

  private let bytes: [UInt8]
  private let text: [UInt8]
  private(set) var line = 0..<0
  /// Whether the line contains the word, or may contain it in another form.
  private(set) var mayMatch = false

  init(_ bytes: [UInt8], lookingFor text: String) {
    self.bytes = bytes
    self.text = Array(text.utf8)
  }

  /// The first byte of the line; 0 if it is empty.
  var first: UInt8 { line.isEmpty ? 0 : bytes[line.lowerBound] }

  func holds(_ text: String) -> Bool { bytes[line].elementsEqual(text.utf8) }

  /// Advances to the next line; returns false after the last one.
  mutating func next() -> Bool {
    let start = line.isEmpty && line.upperBound == 0 ? 0 : line.upperBound + 1
    guard start < bytes.count else { return false }
    (line, mayMatch) = bytes.withUnsafeBytes { bytes in
      let line = start..<end(ofLineAt: start, in: bytes)
      return (line, mayMatch(UnsafeRawBufferPointer(rebasing: bytes[line])))
    }
    return true
  }

  private func end(ofLineAt start: Int, in bytes: UnsafeRawBufferPointer) -> Int {
    var end = start
    while end + 8 <= bytes.count, !EightBytes(bytes, at: end).contain(Self.lineFeed) { end += 8 }
    while end < bytes.count, bytes[end] != Self.lineFeed { end += 1 }
    return end
  }

  /// Compares the word only where its first and its last byte fit, and takes escapes and non-ASCII
  /// characters for other forms of it.
  private func mayMatch(_ line: UnsafeRawBufferPointer) -> Bool {
    guard let first = text.first, let last = text.last else { return true }
    let distance = text.count - 1
    let end = line.count - distance - 8
    guard end >= 0 else {
      return line.contains { $0 >= 0x80 || $0 == UInt8(ascii: "\\") }
        || (0..<line.count).contains { holdsText(line, at: $0) }
    }
    var place = 0
    while true {
      let starts = EightBytes(line, at: place)
      let ends = EightBytes(line, at: place + distance)
      if starts.mayHaveOtherForms || ends.mayHaveOtherForms { return true }
      if starts.fit(first, where: ends, fit: last),
        (place..<place + 8).contains(where: { holdsText(line, at: $0) })
      {
        return true
      }
      guard place < end else { return false }
      place = min(place + 8, end)
    }
  }

  private func holdsText(_ line: UnsafeRawBufferPointer, at place: Int) -> Bool {
    guard place + text.count <= line.count else { return false }
    return text.indices.allSatisfy { Self.lowercased(line[place + $0]) == text[$0] }
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
  }
}

/// Eight bytes that are examined at once, because a file may have 10,000 lines.
private struct EightBytes {
  private static let ones: UInt64 = 0x0101_0101_0101_0101
  private static let highBits: UInt64 = 0x8080_8080_8080_8080

  private let word: UInt64

  init(_ bytes: UnsafeRawBufferPointer, at place: Int) {
    word = bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)
  }

  func contain(_ byte: UInt8) -> Bool { Self.hasZero(difference(from: byte)) }

  /// Whether there is a non-ASCII byte or a backslash.
  var mayHaveOtherForms: Bool { word & Self.highBits != 0 || contain(UInt8(ascii: "\\")) }

  /// Whether at one place these bytes have the one letter, in either case, and the others the other.
  func fit(_ byte: UInt8, where others: EightBytes, fit other: UInt8) -> Bool {
    let folded = Self.ones &* 0x20
    let differences = difference(from: byte) | others.difference(from: other)
    return Self.hasZero(differences & ~folded)
  }

  private func difference(from byte: UInt8) -> UInt64 { word ^ Self.ones &* UInt64(byte) }

  private static func hasZero(_ word: UInt64) -> Bool {
    (word &- ones) & ~word & highBits != 0
  }
}
