// SPDX-License-Identifier: MIT

import OppiModel

/// The messages that this user has written in chats, in `chat-history.json`, for nobody else to read.
package struct MessageHistoryFile: Sendable {
  /// The most messages that are kept.
  package static let countLimit = 500
  /// The most bytes of all of them together; of a longer one alone nothing is kept.
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

  /// Returns the messages, oldest first; none where the file is of no use.
  package func load() -> [String] {
    let json = try? file.load()
    return (json?[Self.member].array ?? []).compactMap(\.string)
  }

  /// Adds a message, unless it is the last one again, and forgets the oldest beyond the limits.
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
