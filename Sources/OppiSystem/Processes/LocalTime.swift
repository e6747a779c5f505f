// SPDX-License-Identifier: MIT

import Glibc
package import OppiModel

/// The user's own time.
package enum LocalTime {
  /// The time of the day at a moment, in minutes since midnight, where this machine is (or `TZ` says).
  package static func minuteOfDay(at moment: Timestamp) -> Int {
    var seconds = time_t(moment.seconds)
    var fields = tm()
    guard localtime_r(&seconds, &fields) != nil else { return moment.seconds / 60 % 1440 }
    return Int(fields.tm_hour) * 60 + Int(fields.tm_min)
  }
}
