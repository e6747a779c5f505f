// SPDX-License-Identifier: MIT

package import OppiModel

/// The prompts that wait for their server or were sent under a key, one file each, in `outbox/`.
///
/// Whoever changes a prompt holds its lock, which the kernel drops with the process: the file says
/// what was to be done next, and is written through before it is done.
package struct OutboxStore: Sendable {
  /// A prompt with its pictures fits into a message of 16 MiB.
  private static let sizeLimit = 24 << 20
  private static let suffix = ".json"

  private let folder: String
  private let files: FileStore

  package init(paths: XDGPaths, files: FileStore) {
    folder = paths.outboxFolder
    self.files = files
  }

  /// Where a prompt is kept.
  package func path(of key: OutboxKey) -> String { "\(folder)/\(key.text)\(Self.suffix)" }

  /// Returns the keys of all prompts, sorted.
  package func keys() throws(FileError) -> [OutboxKey] {
    try files.names(in: folder)
      .compactMap { $0.hasSuffix(Self.suffix) ? OutboxKey($0.dropLast(Self.suffix.count)) : nil }
      .sorted()
  }

  /// Removes what writers left behind that were killed.
  package func removeLeftovers() { files.removeLeftovers(in: folder) }

  /// Returns the prompt of a key, `nil` where there is none.
  ///
  /// - Throws: `.unusable`, too, where the file is not what this program writes; it is left alone.
  package func load(_ key: OutboxKey) throws(FileError) -> QueuedPrompt? {
    guard let json = try file(key).load() else { return nil }
    guard let prompt = QueuedPrompt(json: json), prompt.key == key else {
      throw .unusable(path: path(of: key), reason: "not a prompt of the outbox")
    }
    return prompt
  }

  /// Keeps a prompt as it is now; it is on the disk when this returns.
  package func save(_ prompt: QueuedPrompt) throws(FileError) {
    try file(prompt.key).save(prompt.json)
  }

  /// Forgets a prompt, and its lock, which the caller holds.
  package func remove(_ key: OutboxKey) throws(FileError) {
    try files.removeLocked(path(of: key))
  }

  /// Runs the body while nobody else can change the prompt of a key.
  ///
  /// - Throws: `.lockHeld` where another process is at it for longer than the patience.
  package func claim<Result>(
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
