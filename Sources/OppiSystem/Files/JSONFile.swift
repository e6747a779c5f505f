// SPDX-License-Identifier: MIT

import EventLoop
import Glibc
package import OppiModel

package struct JSONFile: Sendable {
  package let path: String
  private let files: FileStore
  private let privacy: FileStore.Privacy
  /// The maximum size of the file in bytes.
  private let limit: Int
  private let durability: FileStore.Durability
  /// Members that must be lists if they exist.
  private let lists: [String]
  private let layout: @Sendable (JSONObject) -> [UInt8]

  /// The format version that this program reads and writes; a file without a version has it.
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

  /// Returns the object, `nil` if there is no file; throws `.corrupt` without changing the file if
  /// its content is invalid, and `.newerVersion` if a later version of this program wrote it.
  ///
  /// Comments and trailing commas are accepted, because users may edit the file.
  package func load() throws(FileError) -> JSONValue? {
    guard let bytes = try bytes() else { return nil }
    return try object(in: bytes)
  }

  /// Loads and converts the object like ``load()``, off the loop if the file is long.
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

  /// Throws if a later version of this program wrote the object.
  package static func checkVersion(of value: JSONValue, at path: String) throws(FileError) {
    if let version = value["version"].int, version > self.version {
      throw .newerVersion(path: path, version: version)
    }
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

  /// Throws if the file exists and cannot be read.
  package func checkReadable() throws(FileError) { _ = try load() }

  /// Throws if the file could not be read, or not be replaced with one more entry.
  package func checkWritable() throws(FileError) {
    let text = (try load() ?? [:]).text(.indented) + String(repeating: " ", count: Self.entrySize)
    try files.checkReplacing(path, with: Array(text.utf8))
  }

  /// In bytes; larger than any entry.
  private static let entrySize = 4096

  /// Replaces the file's object, unless a later version of this program wrote it; throws `.tooLarge`
  /// if it could not be read again.
  package func save(_ value: JSONValue) throws(FileError) {
    try checkVersion()
    try replace(with: value)
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

  private func replace(with value: JSONValue) throws(FileError) {
    let bytes = layout(value.object ?? [:])
    guard bytes.count <= limit else { throw .tooLarge(path: path, limit: limit) }
    try files.replace(path, with: bytes, durability)
  }

  /// Changes the object under the file's lock, and saves it if the body changed it.
  ///
  /// A missing file counts as an empty object; a corrupt one throws and is never replaced.
  ///
  /// - Parameters:
  ///   - lockTimeout: How long to wait for another process that changes the file.
  ///   - body: The change.
  /// - Returns: The result of the body.
  /// - Throws: `FileError` if the file cannot be locked, read or replaced, or the body throws.
  package func update<Result>(
    lockTimeout: Duration = FileStore.lockTimeout,
    _ body: (inout JSONObject) throws(FileError) -> Result
  ) async throws(FileError) -> Result {
    try await files.withLock(on: path, lockTimeout: lockTimeout) { () throws(FileError) in
      try change(body)
    }
  }

  /// Changes the object like ``update(lockTimeout:_:)``, off the loop if the object is long.
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
    if members != before { try replace(with: .object(members)) }
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
