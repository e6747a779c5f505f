// SPDX-License-Identifier: MIT

/// When calendar expressions elapse, as `systemd-analyze calendar` tells it.
package struct CalendarElapses: Sendable, Hashable {
  /// A moment, and what the clocks of its zone show then.
  package struct Elapse: Sendable, Hashable, Comparable {
    package let moment: Timestamp
    /// `Mon 2026-03-30 02:30:00 CEST`.
    package let zoneText: String

    package init(moment: Timestamp, zoneText: String) {
      (self.moment, self.zoneText) = (moment, zoneText)
    }

    package static func < (left: Self, right: Self) -> Bool { left.moment < right.moment }
  }

  /// Those of each expression, in order.
  private let lists: [[Elapse]]

  /// Reads the program's output under `LC_ALL=C`, with the zone in `TZ`.
  ///
  /// Lines that are not known are passed over: later versions say more.
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

  /// Reads the clock of `Sun 2026-10-25 00:30:00 UTC`, whatever its zone.
  private static func moment(_ text: Substring) -> Timestamp? {
    let words = text.split(separator: " ")
    guard words.count >= 3 else { return nil }
    return Timestamp(iso8601: "\(words[1])T\(words[2])Z")
  }

  /// All of them in order, each moment once.
  ///
  /// - Parameter count: How many were asked for of each expression: beyond the last of a full list
  ///   nothing is known.
  /// - Returns: What is known, and whether that is all there is.
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
