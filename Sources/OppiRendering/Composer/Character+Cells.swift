// SPDX-License-Identifier: MIT

extension Character {
  /// What stands for the character on the screen: a tab has the same width everywhere.
  var cells: String { self == "\t" ? "    " : String(self) }

  /// How many columns the character takes on the screen.
  var columns: Int { DisplayWidth.of(cells) }
}
