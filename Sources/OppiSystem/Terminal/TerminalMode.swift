// SPDX-License-Identifier: MIT

/// What a terminal reports to a program that reads its keys, or keeps for it, with the sequences that
/// begin it and that restore what was before.
///
/// The modes of the picture belong to the surface that is drawn: the alternate screen, the cursor and
/// the wrapping of lines.
package struct TerminalMode: Sendable, Equatable {
  package let begin: String
  package let end: String

  /// Pastes are marked.
  static let pastes = TerminalMode(begin: "\u{1B}[?2004h", end: "\u{1B}[?2004l")
  /// The window gets or loses the focus.
  static let focus = TerminalMode(begin: "\u{1B}[?1004h", end: "\u{1B}[?1004l")
  /// On the alternate screen, the wheel of the mouse is the keys Up and Down.
  ///
  /// Some terminals have it on for all programs, so that the earlier state is saved and restored.
  package static let wheelKeys = TerminalMode(
    begin: "\u{1B}[?1007s\u{1B}[?1007h",
    end: "\u{1B}[?1007r"
  )
  /// The buttons and the wheel of the mouse, with cells as decimal numbers; the terminal then selects
  /// text with Shift only.
  package static let mouse = TerminalMode(
    begin: "\u{1B}[?1000h\u{1B}[?1006h",
    end: "\u{1B}[?1006l\u{1B}[?1000l"
  )

  /// The title of the window, which is restored; the icon's name is left alone (XTWINOPS 22 and 23).
  package static let title = TerminalMode(begin: "\u{1B}[22;2t", end: "\u{1B}[23;2t")

  /// What every program has that reads keys.
  static let ofKeys = [pastes, focus]
}
