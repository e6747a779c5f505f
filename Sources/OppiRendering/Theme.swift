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
    line.pieces.map { render($0.text, $0.style) }.joined()
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
    }
  }
}
