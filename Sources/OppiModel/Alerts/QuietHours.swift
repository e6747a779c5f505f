// SPDX-License-Identifier: MIT

/// A time of every day, such as `22:00-07:00`, which may go over midnight.
package struct QuietHours: Sendable, Equatable {
  /// Minutes since midnight; the end is no part of it.
  private let begin: Int
  private let end: Int

  /// Reads two times of the day with a hyphen between them; `nil` for anything else.
  package init?(_ text: String) {
    let times = text.split(separator: "-", omittingEmptySubsequences: false).map(Self.minute)
    guard times.count == 2, let begin = times[0], let end = times[1], begin != end else {
      return nil
    }
    self.begin = begin
    self.end = end
  }

  private static func minute(_ text: Substring) -> Int? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy({ (1...2).contains($0.utf8.count) }),
      parts[1].utf8.count == 2, let hour = Int(parts[0]), let minute = Int(parts[1]),
      (0..<24).contains(hour), (0..<60).contains(minute)
    else { return nil }
    return hour * 60 + minute
  }

  /// Whether a time of the day, in minutes since midnight, is in it.
  package func contains(minute: Int) -> Bool {
    begin < end ? (begin..<end).contains(minute) : minute >= begin || minute < end
  }
}
