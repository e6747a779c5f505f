// SPDX-License-Identifier: MIT

extension Unicode.Scalar {
  /// Whether the scalar shows as itself and cannot steer a terminal, a bar or the reading order.
  ///
  /// False for controls (C0, DEL, C1), format characters (bidi marks, zero-width ones, tags), line
  /// and paragraph separators, private use, surrogates and unassigned code points.
  package var isPrintable: Bool {
    if (0x20...0x7E).contains(value) { return true }
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate,
      .unassigned:
      return false
    default: return true
    }
  }
}

extension String {
  /// The text made safe to show on one line: control sequences are dropped whole, line breaks and
  /// tabs become spaces, runs of spaces one space.
  ///
  /// - Parameter limit: The most characters to keep; a cut is marked with `…`.
  /// - Returns: The line, empty where nothing of the text can be shown.
  package func safeLine(limit: Int = 300) -> String {
    var line = ""
    for scalar in withoutControlSequences().unicodeScalars {
      if scalar == "\n" || scalar == "\t" || scalar == "\r" || scalar == " " {
        if !line.isEmpty, line.last != " " { line.append(" ") }
      } else if scalar.isPrintable {
        line.unicodeScalars.append(scalar)
      }
    }
    if line.last == " " { line.removeLast() }
    guard line.count > limit else { return line }
    return line.prefix(max(0, limit - 1)) + "…"
  }

  /// The text made safe to show over several lines: as ``safeLine(limit:)``, but line feeds and
  /// tabs stay, and nothing is folded or cut.
  package func safeBlock() -> String {
    var block = ""
    for scalar in withoutControlSequences().unicodeScalars
    where scalar.isPrintable || scalar == "\n" || scalar == "\t" {
      block.unicodeScalars.append(scalar)
    }
    return block
  }

  /// The text without ECMA-48 escape sequences, so that their printable tails (`[31m`) go, too.
  private func withoutControlSequences() -> String {
    guard unicodeScalars.contains(where: { $0 == "\u{1B}" || ("\u{80}"..."\u{9F}").contains($0) })
    else { return self }
    var kept = String.UnicodeScalarView()
    var sequence = ControlSequence.none
    for scalar in unicodeScalars where !sequence.consumes(scalar) { kept.append(scalar) }
    return String(kept)
  }
}

/// Where in an ECMA-48 control sequence a text stands.
private enum ControlSequence {
  case none
  case escape
  /// After CSI: parameters until a final byte `@`…`~`.
  case parameters
  /// After OSC, DCS, APC, PM or SOS: text until BEL, ST, or a line feed, which real ones never hold
  /// (an unfinished one must not swallow the rest).
  case string

  mutating func consumes(_ scalar: Unicode.Scalar) -> Bool {
    switch (self, scalar) {
    case (_, "\u{1B}"): self = .escape
    case (_, "\u{9B}"): self = .parameters
    case (_, "\u{90}"), (_, "\u{98}"), (_, "\u{9D}"), (_, "\u{9E}"), (_, "\u{9F}"): self = .string
    case (.none, _): return false
    case (_, "\n"):
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
