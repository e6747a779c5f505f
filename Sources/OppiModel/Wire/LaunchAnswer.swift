// SPDX-License-Identifier: MIT

/// The answer to the creation of a session with an idempotency key.
package enum LaunchAnswer: Sendable {
  /// The session of the key, and whether its agent has the prompt; otherwise the server's reason.
  case session(Session, isPrompted: Bool, reason: String)
  /// An earlier request with the key has not ended.
  case inProgress
  /// The agent cannot start; the reason, such as an unavailable model, and the useless session.
  case cannotStart(String, sessionID: String?)

  /// Reads an answer; `nil` if it is the usual error of a route.
  package init?(status: Int, json: JSONValue) {
    switch (status, json["error"].text(.sentence)) {
    case (200..<300, _):
      guard let session = Session(json: json["session"]) else { return nil }
      let launch = json["session"]["launch"]
      self = .session(
        session,
        isPrompted: json["prompted"] == true || launch["promptDispatch"] == "delivered",
        reason: SessionLaunch.Record.reason(in: launch)
      )
    case (409, "launch_in_progress"?): self = .inProgress
    case (409, let reason?):
      self = .cannotStart(reason.safeLine(), sessionID: json["sessionId"].wireID)
    default: return nil
    }
  }
}
