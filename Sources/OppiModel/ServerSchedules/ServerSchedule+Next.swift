// SPDX-License-Identifier: MIT

extension ServerSchedule {
  /// When the next run is due.
  package enum Next: Sendable, Equatable {
    /// At this moment, by the server's clock.
    case at(Timestamp)
    /// By these expressions of systemd.time(7), in the schedule's zone.
    case calendar([String])
    case never
    /// The rule cannot be read here.
    case unknown
  }

  /// The next run, by the rules of the server's runner; nothing is guessed.
  ///
  /// - Parameter now: The time on the server's clock.
  /// - Returns: The next run.
  package func next(at now: Timestamp) -> Next {
    guard status == .active else { return isUnknown ? .unknown : .never }
    switch trigger {
    case .at(let moment):
      // A running server starts a late run within a minute.
      return moment > now ? .at(moment) : .never
    case .every(let interval):
      guard let createdAt else { return .unknown }
      let length = interval.milliseconds
      let passed = max(0, now.milliseconds - createdAt.milliseconds) / length
      let (wait, isOver) = (passed + 1).multipliedReportingOverflow(by: length)
      return isOver ? .unknown : .at(createdAt.moved(by: .milliseconds(wait)))
    case .cron(let text):
      guard let expression = Self.expression(text), TimeZoneName.isValid(zone) else {
        return .unknown
      }
      return .calendar(expression.calendar)
    case .unknown: return .unknown
    }
  }

  private var isUnknown: Bool { if case .unknown = status { true } else { false } }

  /// The expression if the server and this program read it alike; `nil` otherwise.
  private static func expression(_ text: String) -> CronExpression? {
    var fields = text.split(whereSeparator: \.isWhitespace)
    if fields.count == 6 { fields.removeFirst() }
    // The server knows no names and no nicknames, and a list with a star restricts the days there.
    let isPlain = fields.allSatisfy { field in
      field.utf8.allSatisfy { (48...57).contains($0) || "*,-/".utf8.contains($0) }
        && !(field.contains("*") && field.contains(","))
    }
    guard fields.count == 5, isPlain else { return nil }
    return try? CronExpression(fields.joined(separator: " "))
  }
}
