// SPDX-License-Identifier: MIT

extension StyledText {
  private static let barColumns = 10

  /// A bar of 10 columns, of which a share from 0 to 1 is filled.
  package static func bar(_ share: Double, _ style: Style = .plain) -> StyledText {
    let share = share > 0 ? min(1, share) : 0
    let filled = Int((share * Double(barColumns)).rounded())
    let rest = String(repeating: "▱", count: barColumns - filled)
    return StyledText(String(repeating: "▰", count: filled) + rest, style)
  }
}
