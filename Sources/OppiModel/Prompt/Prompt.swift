// SPDX-License-Identifier: MIT

/// What is said to an agent, and what the session that gets it is to use.
package struct Prompt: Sendable, Hashable {
  package var text: String
  package var images: [ImageAttachment] = []
  /// The model that was asked for; only a new session gets it.
  package var model: String?
  /// The level that was asked for; `nil` leaves a session at the level that it has.
  package var thinking: ThinkingLevel?
  /// The title that was asked for; only a new session gets it.
  package var title: String?
  /// What a new session gets if nothing was asked for; not part of what is said.
  package var defaults = SessionDefaults()

  package init(_ text: String) {
    self.text = text
  }

  /// A digest that tells what is said from something else; equal texts with equal digests may still
  /// differ.
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
