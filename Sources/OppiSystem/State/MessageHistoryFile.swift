// SPDX-License-Identifier: MIT

import OppiModel

/// The messages that the user wrote in chats, in `chat-history.json`, readable only by this user.
package struct MessageHistoryFile: Sendable {
  package static let countLimit = 500
  /// The size of all messages in bytes; a longer single message is not kept.
  package static let sizeLimit = 256 << 10

  private static let member = "messages"

  private let file: JSONFile

  package init(paths: XDGPaths, files: FileStore) {
    file = JSONFile(
      path: paths.messageHistoryFile,
      in: files,
      limit: 2 << 20,
      lists: [Self.member],
      .passing
    )
  }

  /// Returns the messages, oldest first; none if the file is unusable.
  package func load() -> [String] {
    let json = try? file.load()
    return (json?[Self.member].array ?? []).compactMap(\.string)
  }

  /// Adds a message unless it equals the last one; beyond the limits, the oldest are dropped.
  package func add(_ message: String) async throws(FileError) {
    guard message.utf8.count <= Self.sizeLimit else { return }
    try await file.update { members throws(FileError) in
      var messages = (members[Self.member]?.array ?? []).compactMap(\.string)
      guard messages.last != message else { return }
      messages.append(message)
      var size = 0
      let kept = messages.reversed().prefix(Self.countLimit).prefix { message in
        size += message.utf8.count
        return size <= Self.sizeLimit
      }
      members[Self.member] = .array(kept.reversed().map(JSONValue.string))
    }
  }
}
