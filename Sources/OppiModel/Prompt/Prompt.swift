// SPDX-License-Identifier: MIT

package import OppiText
package import OppiWire

/// A message for an agent, with what its sender asks of the session and the server: commands fill
/// it, the outbox stores it, and the wire encodes it.
package struct Prompt: Sendable, Hashable {
  package var text: String
  /// Sent inside the message; newer servers take only ``attachments``.
  package var images: [ImageAttachment] = []
  /// Files that are on the server already, each as the server described it.
  package var attachments: [JSONValue] = []
  /// The requested model, for new sessions only.
  package var model: String?
  /// The requested thinking level; `nil` keeps the session's level.
  package var thinking: ThinkingLevel?
  /// The requested title, for new sessions only.
  package var title: String?
  /// The title that a new session gets after it has the prompt; `nil` keeps its title.
  package var lastingTitle: String?
  /// The defaults of a new session; they are not part of the message.
  package var defaults = SessionDefaults()
  package var budget = Budget()
  /// The shortcut whose conversation the prompt continues: in the session of its previous run, or
  /// in a new one if that is gone; `nil` to use the target alone.
  package var conversation: String?
  /// The shortcut that sends it; `nil` for none.
  package var shortcut: String?
  /// The id of the turn after whose success it is sent, in a chain; `nil` for none.
  package var after: String?
  /// The server recognises a repeat by this id; empty until the prompt has a target.
  package var clientTurnID: String

  package init(_ text: String, clientTurnID: String = "") {
    (self.text, self.clientTurnID) = (text, clientTurnID)
  }

  /// The model for a session; `nil` for the workspace's default.
  package func model(forNewSession isNew: Bool) -> String? {
    model ?? (isNew ? defaults.model : nil)
  }

  /// The thinking level to set; `nil` keeps the session's level.
  package func level(forNewSession isNew: Bool) -> ThinkingLevel? {
    thinking ?? (isNew ? defaults.thinking : nil)
  }

  /// What is kept after the delivery: nothing that was sent.
  package var receipt: Prompt {
    var receipt = Prompt("", clientTurnID: clientTurnID)
    (receipt.budget, receipt.conversation) = (budget, conversation)
    return receipt
  }

  /// The size of its message in bytes, including envelope and encoding, without long ids.
  package func messageSize(withImages: Bool) -> Int {
    var envelope = Prompt("")
    let images = withImages ? images : []
    envelope.images = images.map { ImageAttachment(mediaType: $0.mediaType, data: []) }
    let rest = ClientMessage.prompt(envelope).json(sessionID: "", requestID: "").text().utf8.count
    return images.reduce(rest + JSONValue.size(ofContent: text)) { size, image in
      size + (image.data.count + 2) / 3 * 4
    }
  }

  /// A digest of the message, without the defaults; different messages may have the same digest.
  package var digest: String {
    var digest = FNVDigest()
    for part in [text, model ?? "", thinking?.rawValue ?? "", title ?? ""] {
      digest.add(part.utf8)
      digest.add(CollectionOfOne(0xFF))
    }
    for image in images { digest.add(image.data) }
    return digest.hexadecimal
  }
}

/// An image in a prompt.
package struct ImageAttachment: Sendable, Hashable {
  package var mediaType: String
  package var data: [UInt8]

  package init(mediaType: String, data: [UInt8]) {
    self.mediaType = mediaType
    self.data = data
  }

  /// Recognises the four formats that models accept by their first bytes; `nil` for other data.
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

  /// The usual ending of a file with this image.
  package var fileExtension: String {
    let subtype = mediaType.split(separator: "/").last ?? ""
    return subtype == "jpeg" ? "jpg" : String(subtype)
  }

  var json: JSONValue {
    ["type": "image", "mimeType": .string(mediaType), "data": .string(Base64.encode(data))]
  }
}

/// Settings of a new session for which no value was requested.
package struct SessionDefaults: Sendable, Hashable {
  /// `nil` for the workspace's default.
  package var model: String?
  /// `nil` for the model's default.
  package var thinking: ThinkingLevel?

  package init(model: String? = nil, thinking: ThinkingLevel? = nil) {
    self.model = model
    self.thinking = thinking
  }
}

/// What happens when a turn requires user input.
package enum OnAsk: String, Sendable, CaseIterable {
  /// The turn waits for the input.
  case wait
  /// Approvals are denied and questions cancelled, and the agent continues.
  case deny
  /// The command fails, and the agent waits.
  case fail
}

/// What happens when a turn reaches a usage limit of the model's provider.
package enum OnLimit: String, Sendable, CaseIterable {
  /// The command fails.
  case fail
  /// The command waits until the limit is reset, and continues the turn.
  case wait
  /// The continuation is queued in the outbox, and sent after the reset.
  case queue
}
