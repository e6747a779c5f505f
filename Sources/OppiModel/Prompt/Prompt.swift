// SPDX-License-Identifier: MIT

/// A message for an agent, with the model, thinking level and title for its session.
package struct Prompt: Sendable, Hashable {
  package var text: String
  package var images: [ImageAttachment] = []
  /// The model that was asked for; only a new session gets it.
  package var model: String?
  /// The level that was asked for; `nil` leaves a session at the level that it has.
  package var thinking: ThinkingLevel?
  /// The title that was asked for; only a new session gets it.
  package var title: String?
  /// The defaults of a new session; they are not part of the message.
  package var defaults = SessionDefaults()

  package init(_ text: String) {
    self.text = text
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
