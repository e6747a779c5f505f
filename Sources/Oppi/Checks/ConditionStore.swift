// SPDX-License-Identifier: MIT

import OppiModel
import OppiSystem

/// The outputs for which shortcuts with a condition last ran, in `conditions.json`.
struct ConditionStore: Sendable {
  struct Record: Sendable, Equatable {
    /// The SHA-256 of the output.
    let digest: String
    /// Whether the prompt for it was sent; false from before it is sent until that is known.
    var isSent: Bool

    init(digest: String, isSent: Bool) { (self.digest, self.isSent) = (digest, isSent) }
  }

  private let file: JSONFile
  private let files: FileStore

  init(paths: XDGPaths, files: FileStore) {
    self.files = files
    file = JSONFile(path: paths.conditionsFile, in: files)
  }

  /// Runs the body while no other process runs the shortcut for its condition.
  ///
  /// - Throws: `.lockHeld` if another process does.
  func whileRunning<Result>(
    _ shortcut: String,
    _ body: () async throws(FileError) -> Result
  ) async throws(FileError) -> Result {
    try await files.withLock(on: "\(file.path).\(shortcut)", patience: .zero, body)
  }

  /// Returns the record of a shortcut; `nil` if it has none.
  func record(of shortcut: String) throws(FileError) -> Record? {
    guard let json = try file.load()?[shortcut], let digest = json["output"].string else {
      return nil
    }
    return Record(digest: digest, isSent: json["sent"].bool ?? false)
  }

  /// Replaces the record of a shortcut, if it is still the known one.
  ///
  /// - Parameters:
  ///   - shortcut: The name of the shortcut.
  ///   - known: The record as it was read.
  ///   - record: The record to store; `nil` removes it.
  /// - Returns: Whether it was replaced; not if another process has changed it.
  /// - Throws: `FileError` if the file cannot be read or written.
  func replace(
    _ shortcut: String,
    known: Record?,
    by record: Record?
  ) async throws(FileError) -> Bool {
    try await file.update { members throws(FileError) in
      let json = members[shortcut] ?? .null
      let present = json["output"].string.map {
        Record(digest: $0, isSent: json["sent"].bool ?? false)
      }
      guard present == known else { return false }
      members[shortcut] = record.map {
        ["output": .string($0.digest), "sent": .bool($0.isSent)]
      }
      return true
    }
  }

  func forget(_ shortcut: String) async throws(FileError) {
    try await file.update { members throws(FileError) in members[shortcut] = nil }
  }
}
