// SPDX-License-Identifier: MIT

/// A message for an agent, with the model, thinking level and title for its session.
package struct Prompt: Sendable, Hashable {
  package var text: String
  package var images: [ImageAttachment] = []
  /// The requested model, for new sessions only.
  package var model: String?
  /// The requested thinking level; `nil` keeps the session's level.
  package var thinking: ThinkingLevel?
  /// The requested title, for new sessions only.
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
