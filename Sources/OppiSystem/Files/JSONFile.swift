// SPDX-License-Identifier: MIT

package import OppiModel

/// A file that holds one JSON object.
package struct JSONFile: Sendable {
  package let path: String
  private let files: FileStore
  private let privacy: FileStore.Privacy
  private let durability: FileStore.Durability

  package init(
    path: String,
    in files: FileStore,
    privacy: FileStore.Privacy = .trusted,
    _ durability: FileStore.Durability = .writtenThrough
  ) {
    self.path = path
    self.files = files
    self.privacy = privacy
    self.durability = durability
  }

  /// Returns the object, `nil` where there is no file; throws `.corrupt` and leaves the file alone
  /// where it holds anything else.
  ///
  /// Comments and trailing commas of a person's own edits are fine.
  package func load() throws(FileError) -> JSONValue? {
    guard let bytes = try files.read(path, privacy: privacy) else { return nil }
    let value: JSONValue
    do {
      value = try JSONValue(parsingJSON5: bytes)
    } catch {
      throw .corrupt(path: path, error)
    }
    guard value.object != nil else { throw .unusable(path: path, reason: "not a JSON object") }
    return value
  }

  /// Throws where the object could not be read or replaced.
  package func checkWritable() throws(FileError) {
    _ = try load()
    let probe = path + ".probe"
    try files.replace(probe, with: [])
    try? files.disk.remove(probe)
  }

  /// Replaces the file's object.
  package func save(_ value: JSONValue) throws(FileError) {
    try files.replace(path, with: Array((value.text(.indented) + "\n").utf8), durability)
  }

  /// Changes the object while no other process can, and saves it where the body changed it.
  ///
  /// A missing file is an empty object; a corrupt one throws, so that it is never replaced.
  ///
  /// - Parameters:
  ///   - patience: For how long another process that changes the file is waited for.
  ///   - body: The change.
  /// - Returns: What the body returned.
  /// - Throws: `FileError` where the file cannot be locked, read or replaced, or the body throws.
  package func update<Result>(
    patience: Duration = FileStore.patience,
    _ body: (inout [String: JSONValue]) throws(FileError) -> Result
  ) async throws(FileError) -> Result {
    try await files.withLock(on: path, patience: patience) { () throws(FileError) in
      let before = try load()?.object ?? [:]
      var members = before
      let result = try body(&members)
      if members != before { try save(.object(members)) }
      return result
    }
  }
}
