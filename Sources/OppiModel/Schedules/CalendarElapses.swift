// SPDX-License-Identifier: MIT

/// The times at which calendar expressions elapse, from the output of `systemd-analyze calendar`.
package struct CalendarElapses: Sendable, Hashable {
  /// A moment and its local time.
  package struct Elapse: Sendable, Hashable, Comparable {
    package let moment: Timestamp
    /// `Mon 2026-03-30 02:30:00 CEST`.
    package let zoneText: String

    package init(moment: Timestamp, zoneText: String) {
      (self.moment, self.zoneText) = (moment, zoneText)
    }

    package static func < (left: Self, right: Self) -> Bool { left.moment < right.moment }
  }

  /// One list per expression, in order.
  private let lists: [[Elapse]]

  /// Parses the program's output under `LC_ALL=C`, with the zone in `TZ`.
  ///
  /// Unknown lines are skipped: later versions print more.
  package init(output: String) {
    var lists: [[Elapse]] = []
    for line in output.split(separator: "\n") {
      guard let colon = line.firstRange(of: ": ") else { continue }
      let label = line[..<colon.lowerBound].drop { $0 == " " }
      let text = line[colon.upperBound...]
      if label == "Normalized form" {
        lists.append([])
      } else if label == "Next elapse" || label.hasPrefix("Iter. #") {
        guard !lists.isEmpty, let moment = Self.moment(text) else { continue }
        lists[lists.count - 1].append(
          Elapse(moment: moment, zoneText: String(text).safeLine(limit: 60))
        )
      } else if label == "(in UTC)", let last = lists.last?.last, let moment = Self.moment(text) {
        lists[lists.count - 1].removeLast()
        lists[lists.count - 1].append(Elapse(moment: moment, zoneText: last.zoneText))
      }
    }
    self.lists = lists
  }

  /// Parses the date and time in `Sun 2026-10-25 00:30:00 UTC`; the zone is ignored.
  private static func moment(_ text: Substring) -> Timestamp? {
    let words = text.split(separator: " ")
    guard words.count >= 3 else { return nil }
    return Timestamp(iso8601: "\(words[1])T\(words[2])Z")
  }

  /// Returns all elapses in order, each moment once, and whether the list is complete.
  ///
  /// `count` is the number of elapses requested per expression: after the last one of a full list,
  /// nothing is known.
  package func known(outOf count: Int) -> (elapses: [Elapse], isComplete: Bool) {
    let ends = lists.filter { $0.count >= count }.compactMap { $0.last?.moment }
    let end = ends.min()
    var elapses: [Elapse] = []
    for elapse in lists.joined().sorted() where end.map({ elapse.moment <= $0 }) ?? true {
      if elapses.last?.moment != elapse.moment { elapses.append(elapse) }
    }
    return (elapses, end == nil)
  }
}
