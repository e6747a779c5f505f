// SPDX-License-Identifier: MIT

/// A SHA-256 fingerprint as the protocol writes it: `sha256:` and 43 characters of base64url.
///
/// It names a server (the hash of its identity key) or pins a certificate (the hash of the leaf).
package struct Fingerprint: Sendable, Hashable {
  package static let prefix = "sha256:"

  /// The whole text, prefix included.
  package let text: String

  /// Accepts exactly the written form; `nil` for anything else.
  package init?(_ text: some StringProtocol) {
    guard text.hasPrefix(Self.prefix),
      let digest = Base64.decode(text.dropFirst(Self.prefix.count)),
      digest.count == 32,
      text.utf8.count == Self.prefix.utf8.count + 43
    else { return nil }
    // One digest has one spelling: the alphabet and the spare bits are normalised.
    self.text = Self.prefix + Base64.encodeURL(digest)
  }

  /// Makes the fingerprint of a 32-byte digest.
  package init(digest: [UInt8]) {
    precondition(digest.count == 32, "a SHA-256 digest has 32 bytes")
    text = Self.prefix + Base64.encodeURL(digest)
  }
}

extension Fingerprint: CustomStringConvertible {
  package var description: String { text }
}
