// SPDX-License-Identifier: MIT

/// A message to the server over a stream.
package enum ClientMessage: Sendable, Equatable {
  /// Starts the session's agent and asks for everything that it does.
  case subscribe
  case setThinkingLevel(ThinkingLevel)
  /// Starts a turn; lost by the server while another turn runs.
  case prompt(Turn)
  /// Queues a turn behind the running one.
  case followUp(Turn)

  /// A user's message, with the id by which the server recognises a repeat.
  package struct Turn: Sendable, Equatable {
    package var text: String
    package var images: [ImageAttachment]
    package var clientTurnID: String

    package init(text: String, images: [ImageAttachment] = [], clientTurnID: String) {
      self.text = text
      self.images = images
      self.clientTurnID = clientTurnID
    }
  }

  /// The name of the message on the wire, which answers repeat as `command`.
  package var type: String {
    switch self {
    case .subscribe: "subscribe"
    case .setThinkingLevel: "set_thinking_level"
    case .prompt: "prompt"
    case .followUp: "follow_up"
    }
  }

  /// The JSON text of the message.
  ///
  /// `sessionID` is the target on a multiplexed stream and `nil` on a session's own stream; the
  /// server repeats `requestID` in its `command_result`.
  package func text(sessionID: String?, requestID: String) -> String {
    var members: [String: JSONValue?] = [
      "type": .string(type),
      "sessionId": sessionID.map(JSONValue.string),
      "requestId": .string(requestID),
    ]
    switch self {
    case .subscribe: members["level"] = "full"
    case .setThinkingLevel(let level): members["level"] = .string(level.rawValue)
    case .prompt(let turn), .followUp(let turn):
      members["message"] = .string(turn.text)
      members["clientTurnId"] = .string(turn.clientTurnID)
      if !turn.images.isEmpty { members["images"] = .array(turn.images.map(\.json)) }
    }
    return JSONValue.members(members).text()
  }
}

/// A picture that goes along with a prompt.
package struct ImageAttachment: Sendable, Equatable {
  package var mediaType: String
  package var data: [UInt8]

  package init(mediaType: String, data: [UInt8]) {
    self.mediaType = mediaType
    self.data = data
  }

  /// Recognises the four formats that models take by their first bytes; `nil` for other data.
  package init?(data: [UInt8]) {
    let type: String? =
      if data.starts(with: [0x89, 0x50, 0x4E, 0x47]) {
        "image/png"
      } else if data.starts(with: [0xFF, 0xD8, 0xFF]) {
        "image/jpeg"
      } else if data.starts(with: Array("GIF8".utf8)) {
        "image/gif"
      } else if data.starts(with: Array("RIFF".utf8)),
        data.dropFirst(8).starts(with: Array("WEBP".utf8))
      {
        "image/webp"
      } else {
        nil
      }
    guard let type else { return nil }
    self.init(mediaType: type, data: data)
  }

  var json: JSONValue {
    ["type": "image", "mimeType": .string(mediaType), "data": .string(Base64.encode(data))]
  }
}
