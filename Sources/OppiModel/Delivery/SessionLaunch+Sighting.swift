// SPDX-License-Identifier: MIT

extension SessionLaunch {
  /// What a server has of a launch after a request whose result is unknown.
  package struct Sighting: Sendable, Hashable {
    /// Whether the server still recognises repeated requests.
    package var isIdempotent: Bool
    /// The server's uptime, rounded down to seconds; `nil` if not reported.
    package var uptime: Duration?
    /// The session of the key; `nil` if there is none.
    package var record: Record?

    package init(isIdempotent: Bool, uptime: Duration?, record: Record? = nil) {
      (self.isIdempotent, self.uptime, self.record) = (isIdempotent, uptime, record)
    }
  }

  /// The record of a launch in its session.
  package struct Record: Sendable, Hashable {
    package enum Progress: Sendable, Hashable {
      case launching
      /// The agent did not get the prompt; the reason.
      case failed(String)
      case ended
    }

    package var progress: Progress
    /// Whether the server has recorded that the agent has the prompt.
    package var isDelivered: Bool
    /// Whether the session has no message.
    package var isEmpty: Bool
    /// The user messages in the conversation, as far as they are written.
    package var userTexts: [String] = []

    package init(_ progress: Progress, isDelivered: Bool = false, isEmpty: Bool = true) {
      (self.progress, self.isDelivered, self.isEmpty) = (progress, isDelivered, isEmpty)
    }

    /// Reads the object of a session.
    package init(session: JSONValue) {
      let launch = session["launch"]
      let isDelivered = launch["promptDispatch"] == "delivered"
      let progress: Progress =
        switch launch["status"].text(.name) {
        case "launching": .launching
        case "failed": .failed(Self.reason(in: launch))
        default: .ended
        }
      self.init(
        progress,
        isDelivered: isDelivered,
        isEmpty: Session(json: session)?.isEmpty == true
      )
    }

    /// The server's reason why an agent did not get the prompt.
    package static func reason(in launch: JSONValue) -> String {
      launch["promptError"].text(.sentence)?.safeLine() ?? "no reason given"
    }
  }
}
