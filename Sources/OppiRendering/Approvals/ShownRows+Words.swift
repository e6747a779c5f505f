// SPDX-License-Identifier: MIT

package import OppiModel

extension ShownRows {
  /// The visible rows, and how many were not yet shown; empty if all rows are visible.
  package var place: StyledText {
    guard visible.count < count else { return StyledText() }
    guard !visible.isEmpty else {
      return StyledText("window too small for the request", .warning)
    }
    let place = "rows \(visible.lowerBound + 1)-\(visible.upperBound) of \(count)"
    guard hiddenCount > 0 else { return StyledText(place, .dim) }
    let key = hasHiddenBelow ? "PageDown" : "PageUp"
    return StyledText("\(place), \(key): \(hiddenCount) more", .warning)
  }
}
