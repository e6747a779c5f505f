// SPDX-License-Identifier: MIT

import Synchronization

final class WrittenBytes: Sendable {
  private let bytes = Mutex<[UInt8]>([])

  func append(_ more: [UInt8]) {
    bytes.withLock { $0 += more }
  }

  var text: String { String(decoding: bytes.withLock { $0 }, as: UTF8.self) }
}
