// SPDX-License-Identifier: MIT

package import OppiText

package enum RelativeTime {
  /// Returns an age in seconds as `12 s`, `5 min`, `3 h` or `4 d`, rounded down.
  package static func age(seconds: Int) -> String {
    switch seconds {
    case ..<60: "\(max(0, seconds)) s"
    case ..<3600: "\(seconds / 60) min"
    case ..<86_400: "\(seconds / 3600) h"
    default: "\(seconds / 86_400) d"
    }
  }

  /// Returns how long ago a moment was, such as `5 min ago`.
  package static func ago(_ moment: Timestamp, at now: Timestamp) -> String {
    "\(age(seconds: moment.age(at: now))) ago"
  }
}

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

  /// Returns seconds in the form `3:07` or `1:02:05`, limited to the range from 0 to 999 hours.
  package static func clock(seconds: Int) -> String {
    let seconds = min(max(0, seconds), 999 * 3600 + 3599)
    func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60)
    return (hours > 0 ? "\(hours):\(padded(minutes))" : "\(minutes)")
      + ":\(padded(seconds % 60))"
  }
}
