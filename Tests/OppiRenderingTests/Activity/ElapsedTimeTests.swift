// SPDX-License-Identifier: MIT

import OppiRendering
import Testing

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
