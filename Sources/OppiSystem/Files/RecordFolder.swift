// SPDX-License-Identifier: MIT

package import OppiText

/// A folder with a record for each key, in the file `KEY.json`.
///
/// A process that changes a record holds its lock, which the kernel releases with the process.
package struct RecordFolder<Key, Record>: Sendable
where Key: LosslessStringConvertible & Equatable & Sendable, Record: JSONRecord & Equatable {
  package let path: String
  package let files: FileStore
  private let limit: Int
  private let key: @Sendable (Record) -> Key
  private let reason: String

  /// - Parameters:
  ///   - path: The folder.
  ///   - files: How its files are read and replaced.
  ///   - limit: The maximum size of a file in bytes.
  ///   - key: The key in a record, which must be that of its file.
  ///   - reason: Why a file has no such record, for the error.
  package init(
    _ path: String,
    in files: FileStore,
    limit: Int,
    key: @escaping @Sendable (Record) -> Key,
    reason: String
  ) {
    self.path = path
    self.files = files
    self.limit = limit
    self.key = key
    self.reason = reason
  }

  package func path(of key: Key) -> String { "\(path)/\(key).json" }

  private func file(_ key: Key) -> RecordFile<Record> {
    RecordFile(path(of: key), in: files, limit: limit, reason: { [reason] _ in reason })
  }

  /// Returns the keys of all records, sorted by their texts.
  package func keys() throws(FileError) -> [Key] {
    try files.jsonNames(in: path).compactMap { Key($0) }
  }

  /// Returns the record of a key, `nil` if there is none.
  ///
  /// - Throws: Also `.unusable` if the file is not a record of the key; the file is not changed.
  package func load(_ key: Key) throws(FileError) -> Record? {
    guard let record = try file(key).load() else { return nil }
    guard self.key(record) == key else { throw .unusable(path: path(of: key), reason: reason) }
    return record
  }

  /// Saves a record, whose lock the caller should hold, and flushes it to the disk.
  package func save(_ record: Record) throws(FileError) {
    try file(key(record)).save(record)
  }

  /// Removes a record and its lock, which the caller must hold.
  package func remove(_ key: Key) throws(FileError) {
    try file(key).removeLocked()
  }

  /// Runs the body while no other process can change the record of a key.
  ///
  /// - Throws: `.lockHeld` if another process holds the lock for longer than `lockTimeout`.
  package func claim<Result>(
    _ key: Key,
    lockTimeout: Duration = .zero,
    _ body: () async throws(FileError) -> Result
  ) async throws(FileError) -> Result {
    try await files.withLock(on: path(of: key), lockTimeout: lockTimeout, body)
  }

  /// Changes a record under its lock and flushes it to the disk.
  ///
  /// - Parameters:
  ///   - key: Its key.
  ///   - change: The change; a record set to `nil` is not written.
  /// - Returns: The result of the change.
  /// - Throws: `FileError` if the file cannot be locked, read or replaced, or the change throws.
  @discardableResult
  package func update<Result>(
    _ key: Key,
    _ change: (inout Record?) throws(FileError) -> Result
  ) async throws(FileError) -> Result {
    try await claim(key, lockTimeout: FileStore.lockTimeout) { () throws(FileError) in
      let before = try load(key)
      var record = before
      let result = try change(&record)
      if let record, record != before { try file(key).save(record) }
      return result
    }
  }

  /// Removes temporary files of writers that were killed.
  package func removeLeftovers() { files.removeLeftovers(in: path) }
}
