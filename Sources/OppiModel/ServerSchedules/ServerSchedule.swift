// SPDX-License-Identifier: MIT

/// A schedule that a server runs itself; texts are safe to show on one line.
package struct ServerSchedule: Sendable, Equatable {
  package enum Status: Sendable, Hashable {
    case active
    case paused
    case archived
    /// A status of a newer server.
    case unknown(String)

    init(_ word: String) {
      self =
        switch word {
        case "active": .active
        case "paused": .paused
        case "archived": .archived
        default: .unknown(word.safeLine(limit: 40))
        }
    }

    package var word: String {
      switch self {
      case .active: "active"
      case .paused: "paused"
      case .archived: "archived"
      case .unknown(let word): word
      }
    }
  }

  package let id: String
  package var name: String
  package var status: Status
  package var trigger: Trigger
  /// The name of the time zone of the trigger.
  package var zone: String
  package var workspaceID: String?
  /// The session that gets the prompt; `nil` if each run creates one.
  package var sessionID: String?
  package var createdAt: Timestamp?

  /// Reads the server's summary; `nil` if it has no valid id.
  package init?(json: JSONValue) {
    guard let id = json["id"].wireID else { return nil }
    self.id = id
    let name = json["name"].line(120) ?? ""
    self.name = name.isEmpty ? id : name
    status = Status(json["status"].text(.name) ?? "")
    trigger = Trigger(json: json["trigger"])
    zone = json["trigger"]["timeZone"].line(60) ?? ""
    workspaceID = json["action"]["workspaceId"].wireID
    sessionID = json["action"]["sessionId"].wireID
    createdAt = json["createdAt"].int.map(Timestamp.init(milliseconds:))
  }
}

extension ServerSchedule {
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
}
