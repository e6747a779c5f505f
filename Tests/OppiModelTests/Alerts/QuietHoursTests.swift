// SPDX-License-Identifier: MIT

import Testing

@testable import OppiModel

@Suite struct QuietHoursTests {
  @Test(
    "quiet hours exclude their end and may span midnight",
    arguments: [
      ("22:00-07:00", [1320, 1439, 0, 419], [420, 1319]),
      ("9:30-10:00", [570, 599], [569, 600]),
    ] as [(String, [Int], [Int])]
  )
  func contains(text: String, inside: [Int], outside: [Int]) throws {
    let hours = try #require(QuietHours(text))
    #expect(inside.allSatisfy(hours.contains(minute:)))
    #expect(!outside.contains(where: hours.contains(minute:)))
  }

  @Test(
    "invalid quiet hours are rejected",
    arguments: [
      "", "22-7", "22:00", "24:00-07:00", "22:60-07:00", "a:00-b:00", "07:00-07:00", "1:2-3:4",
    ]
  )
  func refuses(text: String) {
    #expect(QuietHours(text) == nil)
  }
}
