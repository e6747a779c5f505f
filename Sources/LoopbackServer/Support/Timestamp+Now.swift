// SPDX-License-Identifier: MIT

import Glibc
import OppiModel

extension Timestamp {
  /// The present moment on the system's clock.
  static var now: Timestamp {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Timestamp(milliseconds: time.tv_sec * 1000 + time.tv_nsec / 1_000_000)
  }

  /// The form of the `Date` header (RFC 9110 section 5.6.7).
  var httpDate: String {
    var time = time_t(seconds)
    var parts = tm()
    gmtime_r(&time, &parts)
    return String(unsafeUninitializedCapacity: 64) { buffer in
      buffer.withMemoryRebound(to: CChar.self) { text in
        strftime(text.baseAddress, text.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
      }
    }
  }

  var json: JSONValue { .number(milliseconds) }
}
