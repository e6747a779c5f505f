// SPDX-License-Identifier: MIT

extension Timestamp {
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// Parses the date of an HTTP message (IMF-fixdate of RFC 9110, section 5.6.7), for example
  /// `Sun, 06 Nov 1994 08:49:37 GMT`; `nil` for any other form.
  package init?(httpDate text: String) {
    let words = text.split(separator: " ", omittingEmptySubsequences: false)
    guard text.utf8.count == 29, words.count == 6, words[5] == "GMT", words[0].hasSuffix(","),
      let month = Self.months.firstIndex(where: { $0 == words[2] })
    else { return nil }
    let number = month < 9 ? "0\(month + 1)" : "\(month + 1)"
    self.init(iso8601: "\(words[3])-\(number)-\(words[1])T\(words[4])Z")
  }
}
