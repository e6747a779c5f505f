// SPDX-License-Identifier: MIT

import OppiModel

/// How a session was created, and what became of the prompt that came with it.
struct Launch: Sendable {
  enum Status: String {
    case launching
    case accepted
    case failed
  }

  /// The client's key; a repeat with the same key leads to this session.
  var key: String?
  var model: String?
  var thinkingLevel: String?
  var requestedAt: Timestamp
  var completedAt: Timestamp?
  var status = Status.accepted
  /// Whether the agent is recorded to have the prompt; `nil` while it is being launched.
  var isDelivered: Bool? = false
  var promptError: String?
  /// Whether the model is not available, which no repeat can change.
  var lacksModel = false
  /// The time of a launch; after it, a repeat launches again, whether or not the first has ended.
  var lease: Range<Timestamp>?

  /// Whether a repeat launches again.
  func isOpen(at now: Timestamp) -> Bool {
    switch status {
    case .accepted: false
    case .failed: true
    case .launching: lease.map { $0.upperBound <= now } ?? true
    }
  }

  var json: JSONValue {
    .object([
      "source": "client",
      "idempotencyKey": key.map(JSONValue.string),
      "model": model.map(JSONValue.string),
      "thinkingLevel": thinkingLevel.map(JSONValue.string),
      "status": .string(status.rawValue),
      "promptDispatch": isDelivered.map { $0 ? "delivered" : "not_sent" },
      "promptError": promptError.map(JSONValue.string),
      "requestedAt": requestedAt.json,
      "completedAt": completedAt.map(\.json),
      "lease": lease.map { lease in
        [
          "owner": "workspace-session-create", "acquiredAt": lease.lowerBound.json,
          "expiresAt": lease.upperBound.json,
        ]
      },
    ])
  }

  mutating func complete(_ status: Status, error: String? = nil, at now: Timestamp) {
    self.status = status
    isDelivered = status == .accepted
    promptError = error
    completedAt = now
    lease = nil
  }

  mutating func begin(at now: Timestamp, for time: Duration) {
    status = .launching
    isDelivered = nil
    lease = now..<now.moved(by: time)
  }
}

/// A request to create a session.
struct LaunchOrder: Sendable {
  var workspace: Workspace
  var name: String?
  var model: String?
  var thinkingLevel: String?
  /// Without surrounding blanks; `nil` if there is none.
  var prompt: String?
  var key: String?
  /// Files of the workspace.
  var attachments: JSONValue

  init(_ body: JSONValue, in workspace: Workspace) throws(Refusal) {
    guard body["images"] == .null else { throw Refusal(400, Sessions.imagesText) }
    if body["thinking"] != .null {
      guard let level = body["thinking"].string, ThinkingLevel.isKnown(level) else {
        throw Refusal(400, "Invalid thinking level")
      }
      thinkingLevel = level
    }
    attachments = body["attachments"]
    // An upload belongs to a session that exists already.
    guard attachments.array?.allSatisfy({ $0["source"] == "workspace" }) ?? true else {
      throw Refusal(400, "Upload not found")
    }
    self.workspace = workspace
    name = body["name"].string
    model = body["model"].string
    prompt = body["prompt"].string.flatMap(Self.filled)
    key =
      body["launchIdempotencyKey"].string.flatMap(Self.filled)
      ?? body["idempotencyKey"].string.flatMap(Self.filled)
  }

  private static func filled(_ text: String) -> String? {
    let text = text.trimmingBlanks
    return text.isEmpty ? nil : text
  }
}
