// SPDX-License-Identifier: MIT

import OppiModel
import OppiSystem

/// The prompts that are queued or were sent under a key, one file each, in `outbox/`.
///
/// A process that changes a prompt holds its lock, which the kernel releases with the process. The
/// next step is flushed to the file before it is performed.
struct OutboxStore: Sendable {
  /// In bytes: enough for a prompt with images in a protocol message of 16 MiB.
  private static let sizeLimit = 24 << 20

  private let folder: String
  private let files: FileStore

  init(paths: XDGPaths, files: FileStore) {
    folder = paths.outboxFolder
    self.files = files
  }

  func path(of key: OutboxKey) -> String { "\(folder)/\(key.text).json" }

  /// Returns the keys of all prompts, sorted.
  func keys() throws(FileError) -> [OutboxKey] {
    try files.jsonNames(in: folder).compactMap { OutboxKey($0) }.sorted()
  }

  /// Removes temporary files of writers that were killed.
  func removeLeftovers() { files.removeLeftovers(in: folder) }

  /// Returns the prompt of a key, `nil` if there is none.
  ///
  /// - Throws: Also `.unusable` if the file is not a queued prompt; the file is not changed.
  func load(_ key: OutboxKey) throws(FileError) -> QueuedPrompt? {
    guard let json = try file(key).load() else { return nil }
    guard let prompt = QueuedPrompt(json: json), prompt.key == key else {
      throw .unusable(path: path(of: key), reason: "not a queued prompt")
    }
    return prompt
  }

  /// Saves a prompt and flushes it to the disk.
  func save(_ prompt: QueuedPrompt) throws(FileError) {
    try file(prompt.key).save(prompt.json)
  }

  /// Removes a prompt and its lock, which the caller must hold.
  func remove(_ key: OutboxKey) throws(FileError) {
    try file(key).removeLocked()
  }

  /// Runs the body while no other process can change the prompt of a key.
  ///
  /// - Throws: `.lockHeld` if another process holds the lock for longer than `patience`.
  func claim<Result>(
    _ key: OutboxKey,
    patience: Duration = .zero,
    _ body: () async throws(FileError) -> Result
  ) async throws(FileError) -> Result {
    try await files.withLock(on: path(of: key), patience: patience, body)
  }

  private func file(_ key: OutboxKey) -> JSONFile {
    JSONFile(path: path(of: key), in: files, limit: Self.sizeLimit)
  }
}
