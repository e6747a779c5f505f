// SPDX-License-Identifier: MIT

import OppiRendering
import Testing

@Suite("RelativeTime")
struct RelativeTimeTests {
  @Test(
    "an age is shown in its largest unit, rounded down",
    arguments: [
      (-5, "0 s"), (0, "0 s"), (1, "1 s"), (59, "59 s"), (60, "1 min"), (119, "1 min"),
      (3599, "59 min"), (3600, "1 h"), (7199, "1 h"), (86_399, "23 h"), (86_400, "1 d"),
      (864_000, "10 d"),
    ]
  )
  func age(seconds: Int, expected: String) {
    #expect(RelativeTime.age(seconds: seconds) == expected)
  }
}
