// SPDX-License-Identifier: MIT

import Foundation

/// The contrast of colours by the Web Content Accessibility Guidelines 2.1.
package enum Luminance {
  /// The first eight colours of common terminals.
  package static let palettes = [("xterm", xterm), ("VGA", vga), ("Tango", tango), ("VTE", vte)]

  package static let vga = [
    "#000000", "#aa0000", "#00aa00", "#aa5500", "#0000aa", "#aa00aa", "#00aaaa", "#aaaaaa",
  ]
  package static let brightVGA = [
    "#555555", "#ff5555", "#55ff55", "#ffff55", "#5555ff", "#ff55ff", "#55ffff", "#ffffff",
  ]
  private static let xterm = [
    "#000000", "#cd0000", "#00cd00", "#cdcd00", "#0000ee", "#cd00cd", "#00cdcd", "#e5e5e5",
  ]
  private static let tango = [
    "#2e3436", "#cc0000", "#4e9a06", "#c4a000", "#3465a4", "#75507b", "#06989a", "#d3d7cf",
  ]
  private static let vte = [
    "#171421", "#c01c28", "#26a269", "#a2734c", "#12488b", "#a347ba", "#2aa1b3", "#d0cfcc",
  ]

  /// The relative luminance of `#RRGGBB`, from 0 to 1.
  package static func of(hex: String) -> Double {
    of(value: Int(hex.dropFirst(), radix: 16) ?? 0)
  }

  /// The relative luminance of `0xRRGGBB`, from 0 to 1.
  package static func of(value: Int) -> Double {
    func linear(_ shift: Int) -> Double {
      let part = Double(value >> shift & 0xFF) / 255
      return part <= 0.03928 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4)
    }
    return 0.2126 * linear(16) + 0.7152 * linear(8) + 0.0722 * linear(0)
  }

  /// The contrast of two luminances, from 1 to 21.
  package static func contrast(_ first: Double, _ second: Double) -> Double {
    (max(first, second) + 0.05) / (min(first, second) + 0.05)
  }
}
