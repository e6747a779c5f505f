// SPDX-License-Identifier: MIT

extension Duration {
  /// Whole milliseconds, the protocol's unit, rounded towards zero and clamped.
  package var milliseconds: Int {
    let (seconds, attoseconds) = components
    let (whole, isOver) = Int(seconds).multipliedReportingOverflow(by: 1000)
    guard !isOver else { return seconds < 0 ? .min : .max }
    let (sum, isBeyond) = whole.addingReportingOverflow(Int(attoseconds / 1_000_000_000_000_000))
    return isBeyond ? (seconds < 0 ? .min : .max) : sum
  }
}
