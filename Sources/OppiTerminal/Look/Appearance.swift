// SPDX-License-Identifier: MIT

/// The colour and the attributes of text.
package struct Appearance: Sendable, Equatable {
  package struct Attributes: OptionSet, Sendable {
    package let rawValue: UInt8
    package static let bold = Attributes(rawValue: 1 << 0)
    package static let faint = Attributes(rawValue: 1 << 1)
    package static let italic = Attributes(rawValue: 1 << 2)
    package static let underlined = Attributes(rawValue: 1 << 3)
    package static let reversed = Attributes(rawValue: 1 << 4)
    package static let crossedOut = Attributes(rawValue: 1 << 5)

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The attributes with their names in the configuration and their codes.
    fileprivate static let table: [(name: String, attribute: Attributes, code: Int)] = [
      ("bold", .bold, 1), ("faint", .faint, 2), ("italic", .italic, 3),
      ("underline", .underlined, 4), ("reverse", .reversed, 7), ("strike", .crossedOut, 9),
    ]
  }

  /// `nil` for the colour of the terminal's text.
  package var color: Color?
  package var attributes: Attributes
  /// `nil` for the background of the terminal.
  package var background: Color?

  package init(
    _ color: Color? = nil,
    _ attributes: Attributes = [],
    on background: Color? = nil
  ) {
    (self.color, self.attributes, self.background) = (color, attributes, background)
  }

  static let bold = Appearance(nil, .bold)
  static let faint = Appearance(nil, .faint)
  static let italic = Appearance(nil, .italic)
  static let underlined = Appearance(nil, .underlined)
  static let crossedOut = Appearance(nil, .crossedOut)
  static let reversed = Appearance(nil, .reversed)

  /// The parameters of the sequence "select graphic rendition" (ECMA-48, section 8.3.117).
  func codes(_ depth: ColorDepth) -> [Int] {
    Attributes.table.filter { attributes.contains($0.attribute) }.map(\.code)
      + (color?.codes(depth) ?? []) + (background?.codes(depth, isBackground: true) ?? [])
  }

  /// The appearance on the selected row.
  ///
  /// On a reversed row, other colours would be backgrounds, so that there are none.
  func on(_ selection: Appearance) -> Appearance {
    var both = self
    both.background = selection.background
    both.attributes.formUnion(selection.attributes)
    if selection.attributes.contains(.reversed) {
      both.color = nil
      both.attributes.remove(.faint)
    }
    return both
  }

  /// Reads words such as `bold #f2b84b` or `bright-blue on black`; `nil` if one has no meaning, or
  /// there are two colours of a kind.
  package init?(_ text: String) {
    self.init()
    var words = text.lowercased().split(separator: " ").map(String.init)
    if let mark = words.firstIndex(of: "on") {
      guard mark == words.count - 2, let color = Color(words[mark + 1]) else { return nil }
      background = color
      words.removeLast(2)
    }
    for word in words {
      if let row = Attributes.table.first(where: { $0.name == word }) {
        attributes.insert(row.attribute)
      } else if color == nil, let named = Color(word) {
        color = named
      } else if word != "plain" {
        return nil
      }
    }
  }

  /// The words that ``init(_:)`` reads besides `on` and colours such as `#f2b84b`.
  package static let words = Attributes.table.map(\.name) + Color.names + ["plain"]
}

/// The colours that a terminal can show.
package enum ColorDepth: Sendable {
  /// The 16 standard colours, whose appearance the user chooses.
  case standard
  /// 256 colours: the standard ones, a cube of 6 by 6 by 6, and 24 greys.
  case indexed
  /// All colours (ISO 8613-6).
  case exact

  /// What the environment tells of the terminal.
  package init(environment: [String: String]) {
    let exact: Set = ["truecolor", "24bit"]
    let name = environment["TERM"] ?? ""
    if exact.contains(environment["COLORTERM"] ?? "") || name.hasSuffix("-direct") {
      self = .exact
    } else {
      self = name.contains("256color") ? .indexed : .standard
    }
  }
}

package enum Color: Sendable, Equatable {
  /// One of the 16 standard colours, in the order of their codes.
  case standard(Int)
  /// `0xRRGGBB`; not shown on a terminal with the standard colours only.
  case exact(UInt32)

  static let red = Color.standard(1)
  static let green = Color.standard(2)
  static let yellow = Color.standard(3)
  static let blue = Color.standard(4)
  static let magenta = Color.standard(5)
  static let cyan = Color.standard(6)
  static let brightBlack = Color.standard(8)
  static let brightBlue = Color.standard(12)

  fileprivate static let names = [
    "black", "red", "green", "yellow", "blue", "magenta", "cyan", "white",
  ].flatMap { [$0, "bright-\($0)"] }

  /// Reads a name or `#RRGGBB`.
  fileprivate init?(_ word: String) {
    if let index = Self.names.firstIndex(of: word) {
      self = .standard(index / 2 + index % 2 * 8)
      return
    }
    let digits = word.dropFirst()
    guard word.hasPrefix("#"), digits.count == 6, digits.allSatisfy(\.isHexDigit),
      let value = UInt32(digits, radix: 16)
    else { return nil }
    self = .exact(value)
  }

  /// The parameters that select it as the colour of text, or of the background.
  fileprivate func codes(_ depth: ColorDepth, isBackground: Bool = false) -> [Int] {
    let offset = isBackground ? 10 : 0
    switch self {
    case .standard(let index): return [offset + (index < 8 ? 30 + index : 82 + index)]
    case .exact(let value):
      switch depth {
      case .standard: return []
      case .indexed: return [offset + 38, 5, Self.index(of: value)]
      case .exact: return [offset + 38, 2] + Self.parts(of: value)
      }
    }
  }

  private static func parts(of value: UInt32) -> [Int] {
    [16, 8, 0].map { Int(value >> $0 & 0xFF) }
  }

  /// The nearest colour of the cube or the greys, by the sum of squared differences.
  private static func index(of value: UInt32) -> Int {
    let parts = parts(of: value)
    let steps = [0, 95, 135, 175, 215, 255]
    func distance(_ other: [Int]) -> Int {
      zip(parts, other).reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }
    }
    func nearest(_ part: Int) -> Int {
      steps.indices.min { abs(steps[$0] - part) < abs(steps[$1] - part) } ?? 0
    }
    let cube = parts.map(nearest)
    let gray = min(23, max(0, (parts.reduce(0, +) / 3 - 3) / 10))
    let isGray =
      distance(Array(repeating: 8 + 10 * gray, count: 3)) < distance(cube.map { steps[$0] })
    return isGray ? 232 + gray : 16 + 36 * cube[0] + 6 * cube[1] + cube[2]
  }
}
