// SPDX-License-Identifier: MIT

import OppiModel
import Synchronization

/// The secrets that this process has read, received or sent.
///
/// All that servers send passes it before it is read, so that no secret reaches a screen, a file or
/// a log through a server that repeats it.
package final class KnownSecrets: Sendable {
  private let filter = Mutex(SecretFilter())

  init() {}

  package func learn(_ secret: String) {
    _ = filter.withLock { $0.insert(secret) }
  }

  package func redacted(_ text: String) -> String {
    filter.withLock(\.self).redacted(text)
  }

  /// The bytes of a text or of JSON without secrets.
  func redacted(_ bytes: [UInt8]) -> [UInt8] {
    filter.withLock(\.self).redacted(bytes) ?? bytes
  }
}
