// SPDX-License-Identifier: MIT

import EventLoop
import Glibc
package import OppiModel

/// A file that holds one JSON object.
package struct JSONFile: Sendable {
  package let path: String
  private let files: FileStore
  private let privacy: FileStore.Privacy
  /// The most bytes that it may have.
  private let limit: Int
  private let durability: FileStore.Durability
  /// The members that are lists where they are there.
  private let lists: [String]
  /// How an object is written.
  private let layout: @Sendable (JSONObject) -> [UInt8]

  /// The version of the form that this program reads and writes; a file without one has it.
  private static let version = 1

  package init(
    path: String,
    in files: FileStore,
    privacy: FileStore.Privacy = .trusted,
    limit: Int = FileStore.sizeLimit,
    lists: [String] = [],
    _ durability: FileStore.Durability = .writtenThrough,
    layout: @escaping @Sendable (JSONObject) -> [UInt8] = {
      JSONValue.object($0).bytes(.indented) + [UInt8(ascii: "\n")]
    }
  ) {
    self.path = path
    self.files = files
    self.privacy = privacy
    self.limit = limit
    self.lists = lists
    self.layout = layout
    self.durability = durability
  }

  /// Returns the object, `nil` where there is no file; throws `.corrupt` and leaves the file alone
  /// where it holds anything else, and `.newerVersion` where a later version of this program wrote it.
  ///
  /// Comments and trailing commas of a person's own edits are fine.
  package func load() throws(FileError) -> JSONValue? {
    guard let bytes = try bytes() else { return nil }
    return try object(in: bytes)
  }

  /// As ``load()``, and makes sense of the object, of a long one beside the loop.
  package func load<Value: Sendable>(
    _ read: @escaping @Sendable (JSONValue) -> Value
  ) async throws(FileError) -> Value? {
    guard let bytes = try bytes() else { return nil }
    return try await offload(ifLong: bytes.isLongToRead) { () throws(FileError) in
      read(try object(in: bytes))
    }
  }

  private func bytes() throws(FileError) -> [UInt8]? {
    try files.read(path, privacy: privacy, limit: limit)
  }

  private func object(in bytes: [UInt8]) throws(FileError) -> JSONValue {
    let value: JSONValue
    do {
      value = try JSONValue(parsingJSON5: bytes)
    } catch {
      throw .corrupt(path: path, error)
    }
    guard value.object != nil else { throw .unusable(path: path, reason: "not a JSON object") }
    try Self.checkVersion(of: value, at: path)
    for name in lists where value[name] != .null && value[name].array == nil {
      throw .unusable(path: path, reason: "\(name) is not a list")
    }
    return value
  }

  /// Throws where a later version of this program wrote a file's object.
  static func checkVersion(of value: JSONValue, at path: String) throws(FileError) {
    if let version = value["version"].int, version > self.version {
      throw .newerVersion(path: path, version: version)
    }
  }

  /// Throws where a later version of this program wrote the file: what is of no use in any other way
  /// can be replaced unseen.
  package func checkVersion() throws(FileError) {
    do throws(FileError) {
      _ = try load()
    } catch {
      if case .newerVersion = error { throw error }
    }
  }

  /// Throws where there is a file that cannot be read.
  package func checkReadable() throws(FileError) { _ = try load() }

  /// Throws where the object could not be read, or not be replaced by one with another entry.
  package func checkWritable() throws(FileError) {
    let text = (try load() ?? [:]).text(.indented) + String(repeating: " ", count: Self.entrySize)
    try files.checkReplacing(path, with: Array(text.utf8))
  }

  /// No entry is longer.
  private static let entrySize = 4096

  /// Replaces the file's object; throws `.tooLarge` for one that could not be read again.
  package func save(_ value: JSONValue) throws(FileError) {
    let bytes = layout(value.object ?? [:])
    guard bytes.count <= limit else { throw .tooLarge(path: path, limit: limit) }
    try files.replace(path, with: bytes, durability)
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
    _ body: (inout JSONObject) throws(FileError) -> Result
  ) async throws(FileError) -> Result {
    try await files.withLock(on: path, patience: patience) { () throws(FileError) in
      try change(body)
    }
  }

  /// As ``update(patience:_:)``, beside the loop where the object is long.
  package func update(
    ifLong isLong: Bool,
    _ body: @escaping @Sendable (inout JSONObject) -> Void
  ) async throws(FileError) {
    try await files.withLock(on: path) { () async throws(FileError) in
      try await offload(ifLong: isLong) { () throws(FileError) in try change(body) }
    }
  }

  private func change<Result>(
    _ body: (inout JSONObject) throws(FileError) -> Result
  ) throws(FileError) -> Result {
    let before = try load()?.object ?? [:]
    var members = before
    let result = try body(&members)
    if members != before { try save(.object(members)) }
    return result
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
