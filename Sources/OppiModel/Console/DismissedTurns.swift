// SPDX-License-Identifier: MIT

package import OppiText
package import OppiWire

/// The ended turns that the user has dismissed, by their sessions.
package struct DismissedTurns: JSONRecord, Equatable {
  private static let version = 1
  /// The most sessions that are kept; the latest ones.
  private static let limit = 1000
  /// How long an ended turn stays if it is not dismissed.
  private static let age = Duration.seconds(7 * 86_400)

  /// The end of each session's last dismissed turn, on this machine's clock.
  private var ends: [SessionID: Timestamp] = [:]

  package init() {}

  /// Whether the end of a session's last turn is still to be shown.
  package func shows(_ session: ListedSession, at now: Timestamp) -> Bool {
    let end = session.status.lastActivity
    if let dismissed = ends[session.id], end <= dismissed { return false }
    return now < end.moved(by: Self.age)
  }

  package mutating func dismiss(_ session: SessionID, endedAt end: Timestamp) {
    ends[session] = max(end, ends[session] ?? end)
    guard ends.count > Self.limit else { return }
    let latest = ends.sorted { ($1.value, $1.key.sessionID) < ($0.value, $0.key.sessionID) }
    ends = Dictionary(uniqueKeysWithValues: latest.prefix(Self.limit).map { ($0.key, $0.value) })
  }

  /// The object of the file.
  package var json: JSONValue {
    let rows = ends.sorted { ($0.value, $0.key.sessionID) < ($1.value, $1.key.sessionID) }
      .map { id, end -> JSONValue in
        [
          "server": .string(id.serverID.text), "session": .string(id.sessionID),
          "endedAt": .integer(Int64(end.milliseconds)),
        ]
      }
    return ["version": .integer(Int64(Self.version)), "dismissed": .array(rows)]
  }

  /// Reads the object of the file; omits invalid parts.
  package init(json: JSONValue) {
    guard json["version"].int == Self.version else { return }
    for row in (json["dismissed"].array ?? []).prefix(Self.limit) {
      guard let server = row["server"].string.flatMap({ Fingerprint($0) }),
        let session = row["session"].string, session.utf8.count <= 200,
        let end = row["endedAt"].int
      else { continue }
      let id = SessionID(serverID: server, sessionID: session)
      dismiss(id, endedAt: Timestamp(milliseconds: end))
    }
  }
}
