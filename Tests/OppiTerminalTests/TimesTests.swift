// SPDX-License-Identifier: MIT

import OppiTerminal
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

@Suite struct ElapsedTimeTests {
  @Test(
    "a duration is shown in its two largest units",
    arguments: [
      (Duration.zero, "0 ms"), (.milliseconds(999), "999 ms"), (.seconds(1), "1 s"),
      (.milliseconds(59_999), "59 s"), (.seconds(60), "1 min 0 s"), (.seconds(3599), "59 min 59 s"),
      (.seconds(3600), "1 h 0 min"), (.seconds(90_000), "25 h 0 min"), (.seconds(-5), "0 ms"),
    ]
  )
  func texts(duration: Duration, text: String) {
    #expect(ElapsedTime.text(duration) == text)
  }
}
