// SPDX-License-Identifier: MIT

import OppiModel

/// The messages that arrive before a prompt is known to be delivered.
///
/// The server decides how many they are. Beyond the limit none is kept, because a part of them
/// would be taken for the whole.
struct HandoverBacklog {
  /// In bytes as sent: far more than an agent writes until its prompt is acknowledged.
  static let limit = 8 << 20
  /// What a message takes besides its text.
  private static let overhead = 200

  private(set) var messages: [ServerMessage] = []
  private(set) var isCut = false
  private var size = 0

  mutating func append(_ message: ServerMessage, size: Int) {
    self.size += size + Self.overhead
    isCut = isCut || self.size > Self.limit
    if isCut { messages = [] } else { messages.append(message) }
  }
}
