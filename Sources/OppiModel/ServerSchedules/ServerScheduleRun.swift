// SPDX-License-Identifier: MIT

package struct ServerScheduleRun: Sendable, Equatable {
  package let id: String
  /// `pending`, `claimed`, `running`, `completed` or `failed`, or a newer value.
  package var status: String
  /// The session of the run; `nil` if it is not known yet.
  package var sessionID: String?
  package var createdAt: Timestamp?
  /// Why it failed, on one line and safe to show.
  package var error: String?

  /// Reads the server's object; `nil` if it has no valid id.
  package init?(json: JSONValue) {
    guard let id = json["id"].wireID else { return nil }
    self.id = id
    status = json["status"].line(40) ?? ""
    sessionID = json["sessionId"].wireID
    createdAt = json["createdAt"].int.map(Timestamp.init(milliseconds:))
    error = json["error"].line(400)
  }

  /// Whether the prompt was handed over, or a message sent; its turn may still run.
  package var isCompleted: Bool { status == "completed" }

  package var isFailed: Bool { status == "failed" }
}
