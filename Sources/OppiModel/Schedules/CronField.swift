// SPDX-License-Identifier: MIT

/// One field of a cron expression, by crontab(5): which of its numbers are meant.
package struct CronField: Sendable, Hashable {
  /// Which field it is, in the order of an expression.
  package enum Kind: Sendable, CaseIterable {
    case minute
    case hour
    case dayOfMonth
    case month
    /// From Sunday; 0 and 7 are both Sunday.
    case dayOfWeek

    /// What it is called in an error.
    var name: String {
      switch self {
      case .minute: "minute"
      case .hour: "hour"
      case .dayOfMonth: "day of the month"
      case .month: "month"
      case .dayOfWeek: "day of the week"
      }
    }

    /// The numbers that may be written.
    var range: ClosedRange<Int> {
      switch self {
      case .minute: 0...59
      case .hour: 0...23
      case .dayOfMonth: 1...31
      case .month: 1...12
      case .dayOfWeek: 0...7
      }
    }

    /// The words for the numbers from the first one on.
    private var words: [String] {
      switch self {
      case .minute, .hour, .dayOfMonth: []
      case .month:
        ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
      case .dayOfWeek: ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
      }
    }

    func number(_ text: Substring) -> Int? {
      if let index = words.firstIndex(of: text.lowercased()) { return range.lowerBound + index }
      guard (1...2).contains(text.utf8.count), text.utf8.allSatisfy({ (48...57).contains($0) })
      else { return nil }
      return Int(text).flatMap { range.contains($0) ? $0 : nil }
    }
  }

  /// The numbers, sorted; Sunday is 0.
  package let values: [Int]
  /// Whether it begins with a star, so that it does not restrict the days by itself.
  package let isStar: Bool
  private let kind: Kind

  /// Reads lists of numbers, names, ranges and steps.
  init(_ text: Substring, _ kind: Kind) throws(ScheduleError) {
    var values: Set<Int> = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      guard let numbers = Self.numbers(part, kind) else {
        throw ScheduleError(
          "'\(String(text).safeLine(limit: 40))' is not a valid \(kind.name): expects numbers from "
            + "\(kind.range.lowerBound) to \(kind.range.upperBound) as 1,2 or 1-5 or */2 or 1-9/2"
        )
      }
      values.formUnion(numbers)
    }
    if kind == .dayOfWeek, values.remove(7) != nil { values.insert(0) }
    self.values = values.sorted()
    isStar = text.hasPrefix("*")
    self.kind = kind
  }

  private static func numbers(_ part: Substring, _ kind: Kind) -> [Int]? {
    let pieces = part.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    var range = kind.range
    if kind == .dayOfWeek, pieces[0] == "*" { range = 0...6 }
    if pieces[0] != "*" {
      let ends = pieces[0].split(separator: "-", omittingEmptySubsequences: false)
      let numbers = ends.compactMap(kind.number)
      guard numbers.count == ends.count, (1...2).contains(ends.count) else { return nil }
      // A number alone has no end that a step could lead to.
      guard ends.count == 2 || pieces.count == 1 else { return nil }
      // A week that begins on another day and ends with "sun" ends with the seventh day.
      let endsWithSunday = kind == .dayOfWeek && numbers[0] > 0 && numbers.last == 0
      let last = endsWithSunday ? 7 : numbers.last
      guard let last, numbers[0] <= last else { return nil }
      range = numbers[0]...last
    }
    guard pieces.count == 2 else { return Array(range) }
    guard let step = Int(pieces[1]), (1...range.upperBound + 1).contains(step),
      pieces[1].utf8.allSatisfy({ (48...57).contains($0) })
    else { return nil }
    return Array(stride(from: range.lowerBound, through: range.upperBound, by: step))
  }

  // MARK: - As it is written

  /// The numbers that there are, of which Sunday is counted once.
  private var all: ClosedRange<Int> { kind == .dayOfWeek ? 0...6 : kind.range }

  /// Whether it leaves nothing out.
  package var isEvery: Bool { values.count == all.count }

  /// The field as cron reads it, in numbers.
  package var cronText: String {
    if isEvery {
      // Without a star it does restrict the days, to all there are: beside other days each is met.
      let isDays = kind == .dayOfMonth || kind == .dayOfWeek
      return isStar || !isDays ? "*" : "\(all.lowerBound)-\(all.upperBound)"
    }
    if isStar, values.count > 1 {
      let step = values[1] - values[0]
      let steps = stride(from: all.lowerBound, through: all.upperBound, by: step)
      if values.elementsEqual(steps) { return "*/\(step)" }
    }
    // A star says that the field restricts no days; with this step it is the first day alone.
    guard isStar, kind == .dayOfMonth || kind == .dayOfWeek else { return runs(range: "-") }
    let first = "*/\(kind.range.upperBound)"
    return values.count == 1 ? first : "\(first),\(runs(range: "-"))"
  }

  /// Whether a number is meant, of which Sunday is 0.
  func contains(_ number: Int) -> Bool { values.contains(number) }

  /// The field as one of systemd.time(7), in two digits.
  package var calendarText: String {
    isEvery ? "*" : runs(range: "..") { $0 < 10 ? "0\($0)" : "\($0)" }
  }

  /// The days of the week as in systemd.time(7), from Monday.
  package var weekdayText: String {
    let names = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    let days = values.map { ($0 + 6) % 7 }.sorted()
    return Self.runs(of: days, range: "..") { names[$0] }
  }

  private func runs(range: String, _ word: (Int) -> String = { String($0) }) -> String {
    Self.runs(of: values, range: range, word)
  }

  /// Numbers with three or more in a row as a range.
  private static func runs(of values: [Int], range: String, _ word: (Int) -> String) -> String {
    var parts: [String] = []
    var rest = values[...]
    while let first = rest.first {
      var count = 1
      while count < rest.count, rest[rest.startIndex + count] == first + count { count += 1 }
      let isRange = count > 2
      if !isRange { count = 1 }
      parts.append(isRange ? "\(word(first))\(range)\(word(first + count - 1))" : word(first))
      rest = rest.dropFirst(count)
    }
    return parts.joined(separator: ",")
  }
}

/// Why something is no schedule, in words that name the remedy.
package struct ScheduleError: Error, Equatable {
  package let message: String

  package init(_ message: String) { self.message = message }
}
