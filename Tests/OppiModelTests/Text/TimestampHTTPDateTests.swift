// SPDX-License-Identifier: MIT

import OppiModel
import Testing

@Suite("Timestamp(httpDate:)")
struct TimestampHTTPDateTests {
  @Test("the form of RFC 9110 is read")
  func reads() {
    let date = Timestamp(httpDate: "Sun, 06 Nov 1994 08:49:37 GMT")
    #expect(date?.iso8601 == "1994-11-06T08:49:37Z")
    #expect(Timestamp(httpDate: "Tue, 01 Sep 2026 00:00:00 GMT")?.iso8601 == "2026-09-01T00:00:00Z")
    #expect(Timestamp(httpDate: "Thu, 01 Oct 2026 00:00:00 GMT")?.iso8601 == "2026-10-01T00:00:00Z")
  }

  @Test(
    "other forms are rejected",
    arguments: [
      "", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
      "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 06 Xyz 1994 08:49:37 GMT",
      "Sun, 31 Feb 1994 08:49:37 GMT", "Sun, 6 Nov 1994 08:49:37 GMT  ",
    ]
  )
  func rejects(text: String) {
    #expect(Timestamp(httpDate: text) == nil)
  }
}
