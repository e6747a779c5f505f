// SPDX-License-Identifier: MIT

import OppiModel

/// The appearance of styles; only this type knows the escape sequences for colours.
///
/// Control sequences in the text itself are removed.
package enum Theme: Sendable {
  case plain
  /// The sixteen standard colours, so that the user's palette applies.
  case ansi

  package func render(_ line: StyledText) -> String {
    line.pieces.map(render).joined()
  }

  private func render(_ piece: StyledText.Piece) -> String {
    let text = render(piece.text, piece.style)
    guard self == .ansi, let link = piece.link else { return text }
    // A link of the terminal (OSC 8); its address is ASCII without control characters.
    return "\u{1B}]8;;\(link.address)\u{1B}\\\(text)\u{1B}]8;;\u{1B}\\"
  }

  private func render(_ text: String, _ style: Style) -> String {
    let text = text.safeBlock()
    guard self == .ansi, let code = Self.code(style) else { return text }
    return "\u{1B}[\(code)m\(text)\u{1B}[0m"
  }

  /// The parameters of the sequence "select graphic rendition" (ECMA-48, section 8.3.117).
  private static func code(_ style: Style) -> String? {
    switch style {
    case .plain: nil
    case .heading, .name, .strong: "1"
    case .dim: "2"
    case .success: "32"
    case .warning: "33"
    case .error: "31"
    case .code: "36"
    case .emphasis: "3"
    case .link: "4"
    case .deleted: "9"
    }
  }
}
