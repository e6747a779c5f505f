// SPDX-License-Identifier: MIT

import OppiText

/// The appearance of styles; only this type writes the escape sequences for colours.
///
/// Control sequences in the text itself are removed.
package struct Theme: Sendable, Equatable {
  /// The table of appearances.
  package let scheme: Scheme
  /// The colours that the terminal supports.
  package let depth: ColorDepth
  /// The appearances that the user has chosen instead.
  let replaced: [Style: Appearance]

  package init(
    _ scheme: Scheme,
    depth: ColorDepth = .standard,
    replacing replaced: [Style: Appearance] = [:]
  ) {
    (self.scheme, self.depth, self.replaced) = (scheme, depth, replaced)
  }

  /// Text only.
  package static let plain = Theme(.plain)
  /// For terminals whose background is not known.
  package static let standard = Theme(.standard)
  package static let linuxConsole = Theme(.linuxConsole)
  /// Whether text has colours and attributes.
  package var isStyled: Bool { scheme != .plain }

  /// Whether links can be written (OSC 8); the Linux console shows their addresses as garbage.
  package var hasLinks: Bool { isStyled && scheme != .linuxConsole }

  /// The appearance of a style; that of a text without colours and attributes is empty.
  package func appearance(of style: Style) -> Appearance {
    guard isStyled else { return Appearance() }
    return replaced[style] ?? scheme.appearance(of: style, hasColors: depth != .standard)
  }

  // MARK: - Text

  package func render(_ line: StyledText) -> String {
    line.pieces.map { render($0.text.safeBlock(), $0.style, link: $0.link) }.joined()
  }

  /// `text` must be safe to show.
  func render(
    _ text: String,
    _ style: Style,
    isSelected: Bool = false,
    link: Hyperlink? = nil
  ) -> String {
    let codes = codes(of: style, isSelected: isSelected).map(String.init)
    let text = codes.isEmpty ? text : "\u{1B}[\(codes.joined(separator: ";"))m\(text)\u{1B}[0m"
    guard hasLinks, let link else { return text }
    // A link of the terminal (OSC 8); its address is ASCII without control characters.
    return "\u{1B}]8;;\(link.address)\u{1B}\\\(text)\u{1B}]8;;\u{1B}\\"
  }

  /// The parameters of the sequence "select graphic rendition" (ECMA-48, section 8.3.117); none
  /// for plain text.
  package func codes(of style: Style, isSelected: Bool = false) -> [Int] {
    let own = appearance(of: style)
    return (isSelected ? own.on(appearance(of: .selection)) : own).codes(depth)
  }
}

/// The role of a piece of text; a ``Theme`` determines its appearance.
///
/// The raw value is the role's name in the configuration.
package enum Style: String, Sendable, CaseIterable {
  case plain = "text"
  /// A heading of the first level.
  case title
  case heading
  /// The most important text of a row.
  case name
  /// Additional information.
  case dim = "muted"
  /// Something that runs, or has the keys.
  case accent
  case success
  /// Something needs the user, or is not as expected.
  case warning = "attention"
  case error = "failure"
  /// What became of something is not known.
  case unknown
  /// Text to type or run.
  case code
  case emphasis
  case strong
  case link
  /// Struck through.
  case deleted
  /// A line that a change adds.
  case added
  /// A line that a change removes.
  case removed
  /// The selected row of a list, whose text keeps its styles.
  case selection
  /// The parts of source code.
  case keyword
  case string
  case number
  case type
  case comment
}

extension Theme {
  /// The tables of appearances.
  package enum Scheme: String, Sendable, CaseIterable {
    /// Text only.
    case plain
    /// Attributes, no colours.
    case mono
    /// For terminals whose background is not known.
    ///
    /// Of the standard colours, only red and magenta are legible on black and on white in the usual
    /// palettes. Bold is never combined with a colour, because many terminals then use the bright
    /// one.
    case standard
    /// For the Linux console, which is black.
    ///
    /// It shows dim text in a dark grey, italic text in green, and does not strike text through.
    case linuxConsole = "linux"
    case dark
    case light
  }
}

extension Theme.Scheme {
  /// `hasColors` is whether the terminal has more than the 16 standard colours, which differ between
  /// palettes.
  func appearance(of style: Style, hasColors: Bool) -> Appearance {
    switch self {
    case .plain: Appearance()
    case .mono: mono(style)
    case .standard: onAnyBackground(style)
    case .linuxConsole: onBlack(style)
    case .dark, .light: onKnownBackground(style, hasColors: hasColors)
    }
  }

  private func mono(_ style: Style) -> Appearance {
    switch style {
    case .plain, .success, .string, .number, .type: Appearance()
    case .title: Appearance(nil, [.bold, .underlined])
    case .heading, .name, .strong, .code, .added, .warning, .error, .keyword: .bold
    case .dim, .comment: .faint
    case .emphasis: .italic
    case .link, .accent, .unknown: .underlined
    case .deleted, .removed: .crossedOut
    case .selection: .reversed
    }
  }

  private func onAnyBackground(_ style: Style) -> Appearance {
    switch style {
    case .plain, .success, .string, .number, .type: Appearance()
    case .title: Appearance(nil, [.bold, .underlined])
    case .heading, .name, .strong, .code, .added, .accent, .keyword: .bold
    case .dim, .comment: .faint
    case .warning, .unknown: Appearance(.magenta)
    case .error, .removed: Appearance(.red)
    case .emphasis: .italic
    case .link: .underlined
    case .deleted: .crossedOut
    case .selection: .reversed
    }
  }

  /// The colours are bold, because the console's normal red is too dark.
  private func onBlack(_ style: Style) -> Appearance {
    switch style {
    case .plain, .dim, .deleted, .comment: Appearance()
    case .title: Appearance(nil, [.bold, .underlined])
    case .heading, .name, .strong, .code, .emphasis: .bold
    case .success, .added, .string: Appearance(.green)
    case .warning, .unknown, .keyword: Appearance(.magenta, .bold)
    case .error, .removed: Appearance(.red, .bold)
    case .accent, .number, .type: Appearance(.cyan)
    case .link: .underlined
    case .selection: .reversed
    }
  }

  /// Exact colours have a contrast of at least 4.5 with the usual backgrounds.
  private func onKnownBackground(_ style: Style, hasColors: Bool) -> Appearance {
    func choose(
      _ dark: UInt32,
      _ light: UInt32,
      _ standard: Color,
      _ attributes: Appearance.Attributes = []
    ) -> Appearance {
      Appearance(hasColors ? .exact(self == .dark ? dark : light) : standard, attributes)
    }
    switch style {
    case .plain: return Appearance()
    case .title: return Appearance(nil, [.bold, .underlined])
    case .heading, .name, .strong: return .bold
    // On a light background, the standard cyan is hardly legible.
    case .code where !hasColors && self == .light: return .bold
    case .code: return choose(0x7FD6D6, 0x0B6B6B, .cyan)
    case .emphasis: return .italic
    case .deleted: return .crossedOut
    case .dim, .comment: return choose(0x8B95A7, 0x59636E, .brightBlack)
    case .accent: return choose(0x6CB6FF, 0x0550AE, blue)
    case .link: return choose(0x6CB6FF, 0x0550AE, blue, .underlined)
    case .warning: return choose(0xF2B84B, 0x7D4E00, self == .dark ? .yellow : .magenta, .bold)
    case .success: return choose(0x8FD694, 0x116329, .green)
    case .error: return choose(0xFF8A80, 0xB3261E, .red)
    case .added:
      return Appearance(onKnownBackground(.success, hasColors: hasColors).color, on: faintGreen)
    case .removed:
      return Appearance(onKnownBackground(.error, hasColors: hasColors).color, on: faintRed)
    case .selection:
      guard hasColors else { return .reversed }
      return Appearance(on: .exact(self == .dark ? 0x1F2A3A : 0xE4ECF7))
    case .unknown: return choose(0xC9A7FF, 0x6639BA, .magenta)
    case .keyword: return choose(0xFF9BB3, 0xA3174F, .magenta)
    case .string: return choose(0xB5D99C, 0x0A3069, .green)
    case .number: return choose(0x8CC4FF, 0x0550AE, .cyan)
    case .type: return choose(0xFFD58A, 0x7A4500, .yellow)
    }
  }

  private var blue: Color { self == .dark ? .brightBlue : .blue }
  private var faintGreen: Color { .exact(self == .dark ? 0x12261A : 0xE6F4E8) }
  private var faintRed: Color { .exact(self == .dark ? 0x2E1618 : 0xFBE9E7) }
}
