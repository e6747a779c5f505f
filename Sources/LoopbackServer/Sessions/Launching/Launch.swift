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
  var hasPrompt = false
  var isDelivered = false
  var promptError: String?
  /// Whether the model is not available, which no repeat can change.
  var lacksModel = false
  /// When a start that was interrupted by the server's end may be repeated.
  var leaseEnd: Timestamp?

  var json: JSONValue {
    .object([
      "source": "client",
      "idempotencyKey": key.map(JSONValue.string),
      "model": model.map(JSONValue.string),
      "thinkingLevel": thinkingLevel.map(JSONValue.string),
      "status": .string(status.rawValue),
      "promptDispatch": isDelivered ? "delivered" : "not_sent",
      "promptError": promptError.map(JSONValue.string),
      "requestedAt": requestedAt.json,
      "completedAt": completedAt.map(\.json),
    ])
  }

  mutating func complete(_ status: Status, error: String? = nil, at now: Timestamp) {
    self.status = status
    isDelivered = status == .accepted
    promptError = error
    completedAt = now
    leaseEnd = nil
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

  init(_ body: JSONValue, in workspace: Workspace) throws(Refusal) {
    guard body["images"] == .null else { throw Refusal(400, Sessions.imagesText) }
    if body["thinking"] != .null {
      guard let level = body["thinking"].string, ThinkingLevel.isKnown(level) else {
        throw Refusal(400, "Invalid thinking level")
      }
      thinkingLevel = level
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
