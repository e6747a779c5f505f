// SPDX-License-Identifier: MIT

/// A SHA-256 fingerprint in the protocol's format: `sha256:` and 43 characters of base64url.
///
/// It identifies a server (the hash of its identity key) or pins a certificate (the hash of the
/// leaf).
package struct Fingerprint: Sendable, Hashable {
  package static let prefix = "sha256:"

  /// A placeholder in records that are being read.
  static let blank = Fingerprint(digest: [UInt8](repeating: 0, count: 32))

  /// The whole text, including the prefix.
  package let text: String

  /// Fails for any other format.
  package init?(_ text: some StringProtocol) {
    guard text.hasPrefix(Self.prefix),
      let digest = Base64.decode(text.dropFirst(Self.prefix.count)),
      digest.count == 32,
      text.utf8.count == Self.prefix.utf8.count + 43
    else { return nil }
    // Normalises the alphabet and the unused bits, so that each digest has one text.
    self.text = Self.prefix + Base64.encodeURL(digest)
  }

  /// `digest` must have 32 bytes.
  package init(digest: [UInt8]) {
    precondition(digest.count == 32, "a SHA-256 digest has 32 bytes")
    text = Self.prefix + Base64.encodeURL(digest)
  }
}

extension Fingerprint: CustomStringConvertible {
  package var description: String { text }
}
