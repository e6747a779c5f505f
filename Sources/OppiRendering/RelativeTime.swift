// SPDX-License-Identifier: MIT

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
}
