// SPDX-License-Identifier: MIT

import OppiModel
import OppiSystem

/// The messages that the user wrote in chats, in `chat-history.json`, readable only by this user.
struct MessageHistoryFile: Sendable {
  static let countLimit = 500
  /// The size of all messages in bytes; a longer single message is not kept.
  static let sizeLimit = 256 << 10

  private let list: TextListFile

  init(paths: XDGPaths, files: FileStore) {
    list = TextListFile(
      path: paths.messageHistoryFile,
      in: files,
      limit: 2 << 20,
      member: "messages"
    )
  }

  /// Returns the messages, oldest first; none if the file is unusable.
  func load() -> [String] { list.load() }

  /// Adds a message unless it equals the last one; beyond the limits, the oldest are dropped.
  func add(_ message: String) async throws(FileError) {
    guard message.utf8.count <= Self.sizeLimit else { return }
    try await list.update { messages in
      guard messages.last != message else { return }
      messages.append(message)
      var size = 0
      let kept = messages.reversed().prefix(Self.countLimit).prefix { message in
        size += message.utf8.count
        return size <= Self.sizeLimit
      }
      messages = kept.reversed()
    }
  }
}
