// SPDX-License-Identifier: MIT

/// Durations in words.
package enum ElapsedTime {
  /// Returns a duration as `140 ms`, `12 s`, `3 min 4 s` or `2 h 5 min`, rounded down.
  package static func text(_ duration: Duration) -> String {
    let seconds = duration.components.seconds
    return switch seconds {
    case ..<1: "\(max(0, duration.components.attoseconds / 1_000_000_000_000_000)) ms"
    case ..<60: "\(seconds) s"
    case ..<3600: "\(seconds / 60) min \(seconds % 60) s"
    default: "\(seconds / 3600) h \(seconds / 60 % 60) min"
    }
  }
}
