// SPDX-License-Identifier: MIT

import Testing

@testable import Oppi

/// Lines about what happens while the user types.
@Suite struct NewsLinesTests {
  @Test("the first line is printed at once, and then at most one line a second with a number")
  func bounds() {
    var news = NewsLines()
    #expect(news.add("one", at: .zero) == "news: one")
    #expect(news.add("two", at: .milliseconds(1)) == nil)
    for number in 3...14 { #expect(news.add("\(number)", at: .milliseconds(500)) == nil) }
    #expect(news.woke(at: .milliseconds(999)) == nil)
    #expect(news.woke(at: .seconds(1)) == "news: two; and 12 more")
    #expect(news.woke(at: .seconds(5)) == nil)
    #expect(news.add("late", at: .seconds(6)) == "news: late")
    #expect(news.add("single", at: .seconds(6)) == nil)
    #expect(news.woke(at: .seconds(7)) == "news: single")
  }
}
