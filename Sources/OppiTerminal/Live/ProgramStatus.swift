// SPDX-License-Identifier: MIT

import OppiText

/// What a program is doing, for the terminal that runs it.
///
/// The sequences are those of the program status protocol (OSC 7501, revision 0.3). Terminals that
/// do not support it ignore them.
package enum ProgramStatus: Sendable, Equatable {
  case idle
  case working
  /// The user must decide or answer.
  case blocked(Kind)
  case done
  case error

  package enum Kind: String, Sendable {
    case permission
    case question
  }

  fileprivate var fields: String {
    switch self {
    case .idle: "state=idle"
    case .working: "state=working"
    case .blocked(let kind): "state=blocked:kind=\(kind.rawValue)"
    case .done: "state=done"
    case .error: "state=error"
    }
  }
}

/// The status that a terminal shows, and the sequences for its changes.
package struct StatusLight: Sendable {
  private let program: String
  private let isEnabled: Bool
  private var shown: ProgramStatus?

  /// Reports nothing if it is not enabled.
  package init(of program: String, isEnabled: Bool) {
    (self.program, self.isEnabled) = (program, isEnabled)
  }

  /// Returns the bytes that show a status, if it is not shown; `nil` removes it.
  package mutating func show(_ status: ProgramStatus?) -> [UInt8] {
    guard isEnabled, status != shown else { return [] }
    shown = status
    let fields = status.map { "\($0.fields):app=\(program)" } ?? "state=clear"
    return Array("\u{1B}]7501;\(fields)\u{07}".utf8)
  }
}

/// The title that the window of a terminal shows, and the sequence for its changes.
///
/// The terminal's mode for titles restores the previous one.
package struct WindowTitle: Sendable {
  /// Longer titles hide the number at their start in most lists of windows.
  private static let limit = 80
  private var shown: String?

  package init() {}

  /// Returns the bytes that show a title, if it is not shown; `nil` leaves it unchanged.
  package mutating func show(_ title: String?) -> [UInt8] {
    guard let title = title?.safeLine(limit: Self.limit), title != shown else { return [] }
    shown = title
    return Array("\u{1B}]2;\(title)\u{07}".utf8)
  }

  /// Shows the next title in any case, because another program had the terminal.
  package mutating func forget() { shown = nil }
}

/// Sequences by which a program on a terminal reaches the clipboard and the user.
package enum TerminalCalls {
  /// The most bytes that are copied: many terminals refuse more.
  package static let copyLimit = 74_994

  /// Copies a text to the clipboard (OSC 52); `nil` if it is empty or too long, or has control
  /// characters, which could act when it is pasted.
  package static func copy(_ text: String) -> [UInt8]? {
    let bytes = Array(text.utf8)
    let isPlain = text.unicodeScalars.allSatisfy { scalar in
      scalar == "\n" || scalar == "\t" || scalar.properties.generalCategory != .control
    }
    guard !bytes.isEmpty, bytes.count <= copyLimit, isPlain else { return nil }
    return Array("\u{1B}]52;c;\(Base64.encode(bytes))\u{07}".utf8)
  }

  /// Rings the bell and shows a notification (OSC 9), which other terminals ignore.
  package static func call(_ text: String) -> [UInt8] {
    Array("\u{1B}]9;\(text.safeLine(limit: 200))\u{07}\u{07}".utf8)
  }
}
