// SPDX-License-Identifier: MIT

package import OppiText
import OppiWire

/// A schedule that a server runs itself; texts are safe to show on one line.
package struct ServerSchedule: Sendable, Equatable {
  package let id: String
  package var name: String
  /// `active`, `paused` or `archived`, or a newer value.
  package var status: String
  package var trigger: Trigger
  /// The name of the time zone of the trigger.
  package var zone: String
  package var workspaceID: String?
  /// The session that gets the prompt; `nil` if each run creates one.
  package var sessionID: String?
  package var createdAt: Timestamp?

  package var isActive: Bool { status == "active" }

  /// Reads the server's summary; `nil` if it has no valid id.
  package init?(json: JSONValue) {
    guard let id = json["id"].wireID else { return nil }
    self.id = id
    let name = json["name"].line(120) ?? ""
    self.name = name.isEmpty ? id : name
    status = (json["status"].text(.name) ?? "").safeLine(limit: 40)
    trigger = Trigger(json: json["trigger"])
    zone = json["trigger"]["timeZone"].line(60) ?? ""
    workspaceID = json["action"]["workspaceId"].wireID
    sessionID = json["action"]["sessionId"].wireID
    createdAt = json["createdAt"].int.map(Timestamp.init(milliseconds:))
  }

  package enum Trigger: Sendable, Hashable {
    case at(Timestamp)
    /// Counted from the creation of the schedule.
    case every(Duration)
    /// Five fields, or six with the seconds first, which the server ignores.
    case cron(String)
    /// A trigger of a newer server.
    case unknown(String)

    init(json: JSONValue) {
      let type = json["type"].line(40) ?? ""
      switch type {
      case "at":
        self = json["at"].int.map { .at(Timestamp(milliseconds: $0)) } ?? .unknown(type)
      case "every":
        self =
          json["intervalMs"].int.flatMap { $0 > 0 ? .every(.milliseconds($0)) : nil }
          ?? .unknown(type)
      case "cron": self = json["expression"].line(200).map(Self.cron) ?? .unknown(type)
      default: self = .unknown(type)
      }
    }

    /// The kind in JSON.
    package var kind: String {
      switch self {
      case .at: "at"
      case .every: "every"
      case .cron: "cron"
      case .unknown(let kind): kind
      }
    }
  }

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
    guard isActive else { return ["paused", "archived"].contains(status) ? .never : .unknown }
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

  /// The expression if the server and this program read it alike; `nil` otherwise.
  private static func expression(_ text: String) -> CronExpression? {
    var fields = text.split(whereSeparator: \.isWhitespace)
    if fields.count == 6 { fields.removeFirst() }
    // The server knows no names and no nicknames, and a list with a star restricts the days there.
    let isPlain = fields.allSatisfy { field in
      field.utf8.allSatisfy { $0.isASCIIDigit || "*,-/".utf8.contains($0) }
        && !(field.contains("*") && field.contains(","))
    }
    guard fields.count == 5, isPlain else { return nil }
    return try? CronExpression(fields.joined(separator: " "))
  }
}

package struct ServerScheduleRun: Sendable, Equatable {
  package let id: String
  /// `pending`, `claimed`, `running`, `completed` or `failed`, or a newer value.
  package var status: String
  /// The session of the run; `nil` if it is not known yet.
  package var sessionID: String?
  /// Why it failed, on one line and safe to show.
  package var error: String?

  /// Reads the server's object; `nil` if it has no valid id.
  package init?(json: JSONValue) {
    guard let id = json["id"].wireID else { return nil }
    self.id = id
    status = json["status"].line(40) ?? ""
    sessionID = json["sessionId"].wireID
    error = json["error"].line(400)
  }

  /// Whether the prompt was handed over, or a message sent; its turn may still run.
  package var isCompleted: Bool { status == "completed" }

  package var isFailed: Bool { status == "failed" }
}
