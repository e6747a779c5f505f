// SPDX-License-Identifier: MIT

/// Escapes the HTML in the lines of a paragraph of Markdown; the rest stays as it is.
///
/// A reader of the result finds the same code spans, because a run of backticks without a
/// counterpart on its line is escaped. Where a reader may find others, HTML is escaped in them, too.
struct InlineEscaper {
  /// What the lines before a line say about it.
  struct Context {
    /// Whether a line may be the row of a table, whose cells end code spans.
    var isRow = false
    /// Whether the target of a link may continue, in which backticks mean nothing.
    var isInLink = false
  }

  private static let tick = UInt8(ascii: "`")
  private static let backslash = UInt8(ascii: "\\")
  private static let less = UInt8(ascii: "<")

  private let bytes: [UInt8]
  private var context: Context
  /// The starts of the runs of backticks by their lengths, the last one first.
  private var runs: [Int: [Int]] = [:]
  private var output: [UInt8] = []
  private var position = 0

  /// Returns a line with its HTML escaped; updates the context for the next one.
  static func escaped(_ line: String, in context: inout Context) -> String {
    var escaper = InlineEscaper(line, context)
    while escaper.position < escaper.bytes.count { escaper.step() }
    context = escaper.context
    return String(decoding: escaper.output, as: UTF8.self)
  }

  private init(_ line: String, _ context: Context) {
    bytes = Array(line.utf8)
    self.context = context
    var end = bytes.count
    while end > 0 {
      guard bytes[end - 1] == Self.tick else {
        end -= 1
        continue
      }
      var start = end - 1
      while start > 0, bytes[start - 1] == Self.tick { start -= 1 }
      runs[end - start, default: []].append(start)
      end = start
    }
    output.reserveCapacity(bytes.count)
  }

  private mutating func step() {
    switch bytes[position] {
    case Self.backslash where position + 1 < bytes.count && bytes[position + 1].isPunctuation:
      // A backslash in an address does not escape.
      let isLess = bytes[position + 1] == Self.less
      output += isLess ? [UInt8]("&lt;".utf8) : Array(bytes[position...position + 1])
      position += 2
    case Self.tick: takeRun()
    case UInt8(ascii: "(") where output.last == UInt8(ascii: "]"): takeTarget()
    default:
      put(bytes[position])
      position += 1
    }
  }

  private mutating func takeRun() {
    let start = position
    while position < bytes.count, bytes[position] == Self.tick { position += 1 }
    let length = position - start
    while let next = runs[length]?.last, next < position { runs[length]?.removeLast() }
    guard !isInAddress(start), let close = runs[length]?.last else {
      for _ in 0..<length { output += [Self.backslash, Self.tick] }
      return
    }
    let span = bytes[start..<close + length]
    if context.isInLink || context.isRow && span.contains(UInt8(ascii: "|")) {
      for byte in span { put(byte) }
    } else {
      output += span
    }
    position = close + length
  }

  /// Takes the target of a link if it is a plain address; others may continue anywhere.
  private mutating func takeTarget() {
    let rest = bytes[(position + 1)...]
    let address = rest.prefix { $0 != UInt8(ascii: ")") && !"(`<>\\\"' \t".utf8.contains($0) }
    guard address.endIndex < bytes.count, bytes[address.endIndex] == UInt8(ascii: ")") else {
      context.isInLink = true
      output.append(bytes[position])
      position += 1
      return
    }
    output += bytes[position...address.endIndex]
    position = address.endIndex + 1
  }

  /// Whether a backtick may be a part of a bare address, which becomes a link up to the next space.
  private func isInAddress(_ place: Int) -> Bool {
    var start = place
    while start > 0, place - start < Self.addressLimit, !bytes[start - 1].isSpace { start -= 1 }
    guard place - start < Self.addressLimit else { return true }
    let word = String(decoding: bytes[start..<place], as: UTF8.self)
    return word.contains("://") || word.lowercased().contains("www.")
  }

  /// In bytes; a longer word counts as an address.
  private static let addressLimit = 1000

  private mutating func put(_ byte: UInt8) {
    if byte == Self.less { output += "&lt;".utf8 } else { output.append(byte) }
  }
}

extension UInt8 {
  fileprivate var isSpace: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }

  /// Whether a backslash before it makes it literal.
  fileprivate var isPunctuation: Bool {
    switch self {
    case 0x21...0x2F, 0x3A...0x40, 0x5B...0x60, 0x7B...0x7E: true
    default: false
    }
  }
}
