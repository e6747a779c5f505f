// SPDX-License-Identifier: MIT

import OppiModel

/// How roles look: the only place that knows escape sequences for colour.
///
/// What a terminal would obey in a text itself is dropped here, whoever wrote it.
package enum Theme: Sendable {
  case plain
  /// The sixteen colours that every terminal has, so that the user's own palette decides.
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
