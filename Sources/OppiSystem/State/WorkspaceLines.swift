// SPDX-License-Identifier: MIT

import OppiModel

/// The workspace cache as lines: one JSON object in which every workspace has a line of its own, so
/// that those of a name are found without making sense of the others.
enum WorkspaceLines {
  private static let begin = #"{"servers":{"#
  private static let lineFeed = UInt8(ascii: "\n")

  // MARK: - Writing

  /// The object of the file with its lines.
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

  /// Which workspaces are wanted.
  struct Choice {
    /// What the line of each has in it, in lower case; plain ASCII.
    var text: String
    /// No more of them.
    var limit = Int.max
    var accepts: (Fingerprint, Workspace) -> Bool = { _, _ in true }
  }

  /// The end of a name behind its last slash or arrow, as it stands in the line of what it names.
  static func text(of name: String) -> String? {
    let end = name.lastIndex { $0 == "/" || $0 == " " }.map { name[name.index(after: $0)...] }
    let text = (end ?? name[...]).lowercased()
    return text.isEmpty || !text.utf8.allSatisfy(isPlain) ? nil : text
  }

  /// Whether a byte stands for itself in a line, whatever the case of its letters.
  private static func isPlain(_ byte: UInt8) -> Bool {
    (0x20...0x7E).contains(byte) && byte != UInt8(ascii: "\\") && byte != UInt8(ascii: "\"")
  }

  /// The servers of a file with those of their workspaces that are wanted; `nil` where the file is
  /// laid out otherwise.
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

/// Goes through the lines of a text and looks for some letters in each.
private struct LineScanner {
  private let bytes: [UInt8]
  private let text: [UInt8]
  private(set) var line = 0..<0
  /// Whether the line has the letters in it, or may have them in another form.
  private(set) var mayMatch = false

  init(_ bytes: [UInt8], lookingFor text: String) {
    self.bytes = bytes
    self.text = Array(text.utf8)
  }

  /// The first byte of the line; 0 where it is empty.
  var first: UInt8 { line.isEmpty ? 0 : bytes[line.lowerBound] }

  func holds(_ text: String) -> Bool { bytes[line].elementsEqual(text.utf8) }

  /// Goes to the next line; false behind the last one.
  mutating func next() -> Bool {
    let start = line.isEmpty && line.upperBound == 0 ? 0 : line.upperBound + 1
    guard start < bytes.count else { return false }
    (line, mayMatch) = bytes.withUnsafeBufferPointer { bytes in
      var (end, isFound) = (start, text.isEmpty)
      while end < bytes.count, bytes[end] != UInt8(ascii: "\n") {
        let byte = bytes[end]
        // What is escaped, or no ASCII, has other forms.
        if byte >= 0x80 || byte == UInt8(ascii: "\\") {
          isFound = true
        } else if !isFound, Self.lowercased(byte) == text[0] {
          isFound = Self.begins(bytes[end...], with: text)
        }
        end += 1
      }
      return (start..<end, isFound)
    }
    return true
  }

  private static func begins(_ bytes: Slice<UnsafeBufferPointer<UInt8>>, with text: [UInt8]) -> Bool
  {
    guard bytes.count >= text.count else { return false }
    return zip(bytes, text).allSatisfy { lowercased($0) == $1 }
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
  }
}
