// SPDX-License-Identifier: MIT

import EventLoop
import Glibc
package import OppiText

/// A file with one record: a JSON object, which is replaced as a whole.
///
/// A file that a later version of this program wrote is neither read nor replaced.
package struct RecordFile<Record: JSONRecord>: Sendable {
  package let path: String
  private let files: FileStore
  private let privacy: FileStore.Privacy
  private let limit: Int
  private let durability: FileStore.Durability
  private let isReplaceable: Bool
  private let layout: @Sendable (JSONObject) -> [UInt8]
  private let reason: @Sendable (JSONValue) -> String

  /// - Parameters:
  ///   - path: The file.
  ///   - files: How it is read and replaced.
  ///   - privacy: The required permissions.
  ///   - limit: The maximum size of the file in bytes.
  ///   - durability: Whether it survives a crash of the machine.
  ///   - isReplaceable: Whether a file that is damaged, or that others could read or change, counts
  ///     as missing and is replaced by the next update, which is noted in ``FileStore/faults``;
  ///     otherwise it is an error and never replaced by an update.
  ///   - layout: The bytes of an object.
  ///   - reason: Why an object is not such a record, for the error.
  package init(
    _ path: String,
    in files: FileStore,
    privacy: FileStore.Privacy = .trusted,
    limit: Int = FileStore.sizeLimit,
    _ durability: FileStore.Durability = .writtenThrough,
    isReplaceable: Bool = false,
    layout: @escaping @Sendable (JSONObject) -> [UInt8] = {
      JSONValue.object($0).bytes(.indented) + [UInt8(ascii: "\n")]
    },
    reason: @escaping @Sendable (JSONValue) -> String = { _ in "not in a known format" }
  ) {
    self.path = path
    self.files = files
    self.privacy = privacy
    self.limit = limit
    self.durability = durability
    self.isReplaceable = isReplaceable
    self.layout = layout
    self.reason = reason
  }

  // MARK: - Reading

  /// Returns the record, `nil` if there is no file.
  ///
  /// Comments and trailing commas are accepted, because users may edit the file.
  ///
  /// - Throws: `.corrupt` or `.unusable` without changing a damaged file, and `.newerVersion` if a
  ///   later version of this program wrote it.
  package func load() throws(FileError) -> Record? {
    try stored().map { object throws(FileError) in try record(in: object) }
  }

  /// Returns the record, `nil` if there is none that can be used, for a program that can do without
  /// it.
  package func usable() -> Record? {
    files.attempt { () throws(FileError) in try load() } ?? nil
  }

  private func stored() throws(FileError) -> JSONObject? {
    do throws(FileError) {
      return try bytes().map { bytes throws(FileError) in try object(in: bytes) }
    } catch {
      try ignore(error)
      return nil
    }
  }

  /// Notes a file that is replaceable; otherwise throws the error.
  private func ignore(_ error: FileError) throws(FileError) {
    guard isReplaceable, error.isReplaceable else { throw error }
    files.faults.note(error, isReplaced: true)
  }

  private func bytes() throws(FileError) -> [UInt8]? {
    try files.read(path, privacy: privacy, limit: limit)
  }

  private func object(in bytes: [UInt8]) throws(FileError) -> JSONObject {
    let value: JSONValue
    do {
      value = try JSONValue(parsingJSON5: bytes)
    } catch {
      throw .corrupt(path: path, error)
    }
    guard let object = value.object else {
      throw .unusable(path: path, reason: "not a JSON object")
    }
    try FileStore.checkVersion(of: object, at: path)
    return object
  }

  private func record(in object: JSONObject) throws(FileError) -> Record {
    let json = JSONValue.object(object)
    guard let record = Record(json: json) else {
      throw .unusable(path: path, reason: reason(json))
    }
    return record
  }

  /// Throws only if a later version of this program wrote the file; others may be replaced.
  package func checkVersion() throws(FileError) {
    do throws(FileError) {
      // Files without the word, such as queued images, are not parsed.
      guard let bytes = try bytes(), bytes.holds("version") else { return }
      _ = try object(in: bytes)
    } catch {
      if case .newerVersion = error { throw error }
    }
  }

  // MARK: - Writing

  /// Replaces the file, unless a later version of this program wrote it; throws `.tooLarge` if it
  /// could not be read again.
  package func save(_ record: Record) throws(FileError) {
    try checkVersion()
    try replace(with: record.object(over: [:]))
  }

  /// Removes the file, unless a later version of this program wrote it.
  package func remove() throws(FileError) {
    try checkVersion()
    try files.remove(path)
  }

  /// Removes the file like ``remove()``, and its lock, which the caller must hold.
  package func removeLocked() throws(FileError) {
    try checkVersion()
    try files.removeLocked(path)
  }

  private func replace(with object: JSONObject) throws(FileError) {
    let bytes = layout(object)
    guard bytes.count <= limit else { throw .tooLarge(path: path, limit: limit) }
    try files.replace(path, with: bytes, durability)
  }

  /// Throws if the file could not be read, or not be replaced with one more entry.
  package func checkWritable() throws(FileError) {
    let object = try load()?.json ?? [:]
    let text = object.text(.indented) + String(repeating: " ", count: Self.entrySize)
    try files.checkReplacing(path, with: Array(text.utf8))
  }

  /// In bytes; larger than any entry.
  private static var entrySize: Int { 4096 }

  /// Changes the record under the file's lock, and saves it if the body changed it.
  ///
  /// A missing file counts as an empty object. Members that the record does not know are kept.
  ///
  /// - Parameters:
  ///   - lockTimeout: How long to wait for another process that changes the file.
  ///   - body: The change.
  /// - Returns: The result of the body.
  /// - Throws: `FileError` if the file cannot be locked, read or replaced, or the body throws.
  package func update<Result>(
    lockTimeout: Duration = FileStore.lockTimeout,
    _ body: (inout Record) throws(FileError) -> Result
  ) async throws(FileError) -> Result {
    try await files.withLock(on: path, lockTimeout: lockTimeout) { () throws(FileError) in
      try change(body)
    }
  }

  private func change<Result>(
    _ body: (inout Record) throws(FileError) -> Result
  ) throws(FileError) -> Result {
    let stored = try stored() ?? [:]
    var record = try record(in: stored)
    let result = try body(&record)
    let changed = record.object(over: stored)
    if changed != stored { try replace(with: changed) }
    return result
  }
}

// MARK: - Long files

extension RecordFile {
  /// Loads and converts the record like ``load()``, off the loop if the file is long.
  package func load<Value: Sendable>(
    _ read: @escaping @Sendable (Record) -> Value
  ) async throws(FileError) -> Value? {
    do throws(FileError) {
      guard let bytes = try bytes() else { return nil }
      return try await offload(ifLong: bytes.isLongToRead) { () throws(FileError) in
        read(try record(in: object(in: bytes)))
      }
    } catch {
      try ignore(error)
      return nil
    }
  }

  /// Changes the record like ``update(lockTimeout:_:)``, off the loop if it is long.
  package func update(
    ifLong isLong: Bool,
    _ body: @escaping @Sendable (inout Record) -> Void
  ) async throws(FileError) {
    try await files.withLock(on: path) { () async throws(FileError) in
      try await offload(ifLong: isLong) { () throws(FileError) in try change(body) }
    }
  }

  private func offload<Value: Sendable>(
    ifLong isLong: Bool,
    _ work: @escaping @Sendable () throws(FileError) -> Value
  ) async throws(FileError) -> Value {
    guard isLong else { return try work() }
    let result: Result<Value, FileError>
    do {
      result = try await files.loop.offload {
        Result { () throws(FileError) in try work() }
      }
    } catch {
      throw .cannotRead(path: path, SystemError("read", code: ECANCELED))
    }
    return try result.get()
  }
}

// MARK: - Versions

extension FileStore {
  /// The format version that this program reads and writes; a file without a version has it.
  private static let version = 1

  /// Throws if a later version of this program wrote the object.
  package static func checkVersion(of object: JSONObject, at path: String) throws(FileError) {
    if let version = object["version"]?.int, version > self.version {
      throw .newerVersion(path: path, version: version)
    }
  }
}

extension [UInt8] {
  /// Whether the bytes contain the bytes of a text.
  package func holds(_ text: String) -> Bool {
    let word = Array(text.utf8)
    guard let first = word.first else { return true }
    return withUnsafeBytes { bytes in
      var rest = bytes[...]
      while rest.count >= word.count, let begin = UnsafeRawBufferPointer(rebasing: rest).baseAddress
      {
        let last = rest.count - word.count + 1
        guard let found = memchr(begin, Int32(first), last) else { return false }
        rest = rest[(rest.startIndex + begin.distance(to: UnsafeRawPointer(found)))...]
        if rest.starts(with: word) { return true }
        rest = rest.dropFirst()
      }
      return false
    }
  }
}
