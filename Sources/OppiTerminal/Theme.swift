// SPDX-License-Identifier: MIT

import OppiText

/// The appearance of styles; only this type knows the escape sequences for colours.
///
/// Control sequences in the text itself are removed.
package enum Theme: Sendable, CaseIterable {
  /// Text only.
  case plain
  /// For terminals whose colours are not known.
  ///
  /// Of the standard colours, only red and magenta are legible on black and on white in the usual
  /// palettes. Bold is never combined with a colour, because many terminals then use the bright
  /// one.
  case ansi
  /// For the Linux console, which is black.
  ///
  /// It shows dim text in a dark grey, italic text in green, and does not strike text through.
  case linuxConsole

  /// Whether text has colours and attributes.
  package var isStyled: Bool { self != .plain }

  package func render(_ line: StyledText) -> String {
    line.pieces.map(render).joined()
  }

  private func render(_ piece: StyledText.Piece) -> String {
    let place = piece.column.map(FrameWriter.begin) ?? ""
    let text = place + render(piece.text, piece.style)
    guard self == .ansi, let link = piece.link else { return text }
    // A link of the terminal (OSC 8); its address is ASCII without control characters.
    return "\u{1B}]8;;\(link.address)\u{1B}\\\(text)\u{1B}]8;;\u{1B}\\"
  }

  private func render(_ text: String, _ style: Style) -> String {
    let text = text.safeBlock()
    let codes = codes(of: style)
    guard !codes.isEmpty else { return text }
    return "\u{1B}[\(codes.map(String.init).joined(separator: ";"))m\(text)\u{1B}[0m"
  }

  // MARK: - The table of roles

  private static let bold = 1
  private static let faint = 2
  private static let italic = 3
  private static let underlined = 4
  private static let crossedOut = 9
  private static let red = 31
  private static let green = 32
  private static let magenta = 35

  /// The parameters of the sequence "select graphic rendition" (ECMA-48, section 8.3.117); none
  /// for plain text.
  package func codes(of style: Style) -> [Int] {
    switch self {
    case .plain: []
    case .ansi: Self.codesOnAnyBackground(style)
    case .linuxConsole: Self.codesOnBlack(style)
    }
  }

  private static func codesOnAnyBackground(_ style: Style) -> [Int] {
    switch style {
    case .plain, .success: []
    case .heading, .name, .strong, .code, .added: [bold]
    case .dim: [faint]
    case .warning: [magenta]
    case .error, .removed: [red]
    case .emphasis: [italic]
    case .link: [underlined]
    case .deleted: [crossedOut]
    }
  }

  /// The colours are bold, because the console's normal red is too dark.
  private static func codesOnBlack(_ style: Style) -> [Int] {
    switch style {
    case .plain, .dim, .deleted: []
    case .heading, .name, .strong, .code, .emphasis: [bold]
    case .success, .added: [green]
    case .warning: [bold, magenta]
    case .error, .removed: [bold, red]
    case .link: [underlined]
    }
  }
}

/// The role of a piece of text; a ``Theme`` determines its appearance.
package enum Style: Sendable, CaseIterable {
  case plain
  case heading
  /// The most important text of a row.
  case name
  /// Additional information.
  case dim
  case success
  /// Something needs the user, or is not as expected.
  case warning
  case error
  /// Text to type or run, and keys to press.
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
}
