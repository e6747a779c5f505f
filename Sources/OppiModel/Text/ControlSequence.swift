// SPDX-License-Identifier: MIT

/// The state of a scanner for ECMA-48 control sequences.
enum ControlSequence {
  case none
  case escape
  /// After CSI: parameters until a final byte `@`…`~`.
  case parameters
  /// After OSC, DCS, APC, PM or SOS: text until BEL, ST or the end of the line.
  ///
  /// Valid ones contain no line break, and an unterminated one must not swallow the rest.
  case string

  mutating func consumes(_ scalar: Unicode.Scalar) -> Bool {
    switch (self, scalar) {
    case (_, "\u{1B}"): self = .escape
    case (_, "\u{9B}"): self = .parameters
    case (_, "\u{90}"), (_, "\u{98}"), (_, "\u{9D}"), (_, "\u{9E}"), (_, "\u{9F}"): self = .string
    case (.none, _): return false
    case (_, "\n"), (_, "\r"):
      self = .none
      return false
    case (.escape, "["): self = .parameters
    case (.escape, "]"), (.escape, "P"), (.escape, "X"), (.escape, "^"), (.escape, "_"):
      self = .string
    case (.escape, " "..."/"): break
    case (.escape, _): self = .none
    case (.parameters, "@"..."~"): self = .none
    case (.string, "\u{07}"), (.string, "\u{9C}"): self = .none
    default: break
    }
    return true
  }
}
