// SPDX-License-Identifier: MIT

/// A daily time range, such as `22:00-07:00`, which may cross midnight.
package struct QuietHours: Sendable, Equatable {
  /// Minutes since midnight; the end is exclusive.
  private let begin: Int
  private let end: Int

  /// Parses two times of day separated by a hyphen; `nil` for any other text.
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

  /// Whether the range contains a time of day, in minutes since midnight.
  package func contains(minute: Int) -> Bool {
    begin < end ? (begin..<end).contains(minute) : minute >= begin || minute < end
  }
}
