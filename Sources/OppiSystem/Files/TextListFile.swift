// SPDX-License-Identifier: MIT

import OppiModel

/// A list of texts in a file of its own, the oldest first.
///
/// Changes are not flushed to the disk: losing the last ones does little harm.
package struct TextListFile: Sendable {
  private let member: String
  private let file: JSONFile

  package init(path: String, in files: FileStore, limit: Int, member: String) {
    self.member = member
    file = JSONFile(path: path, in: files, limit: limit, lists: [member], .passing)
  }

  /// Returns the texts; none if the file is unusable.
  package func load() -> [String] { ((try? file.load())?.object).map(texts(in:)) ?? [] }

  /// Changes the texts under the file's lock.
  ///
  /// - Throws: `FileError` if the file cannot be locked, read or replaced.
  package func update(_ change: (inout [String]) -> Void) async throws(FileError) {
    try await file.update { members throws(FileError) in
      let before = texts(in: members)
      var after = before
      change(&after)
      if after != before { members[member] = .array(after.map(JSONValue.string)) }
    }
  }

  private func texts(in members: JSONObject) -> [String] {
    (members[member]?.array ?? []).compactMap(\.string)
  }
}
