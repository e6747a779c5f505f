// SPDX-License-Identifier: MIT

import OppiModel
import OppiSystem

/// The decisions and answers that this machine sent, in `decisions.jsonl`, readable only by this
/// user: one JSON object per line, in the order of the results.
///
/// Lines are only appended; beyond the limit, the oldest are dropped.
struct SentReplyLog: Sendable {
  /// In bytes.
  static let sizeLimit = 2 << 20

  private let path: String
  private let files: FileStore

  init(paths: XDGPaths, files: FileStore) {
    (path, self.files) = (paths.decisionsFile, files)
  }

  /// - Throws: `FileError` if the file cannot be written.
  func append(_ reply: SentReply) async throws(FileError) {
    let line = SentReply.shape.json(of: reply).bytes()
    try await files.withLog(at: path) { log throws(FileError) in
      try log.append(line: line)
      guard log.size > Self.sizeLimit else { return }
      let bytes = try files.read(path, limit: log.size) ?? []
      let kept = bytes.suffix(Self.sizeLimit / 2).drop { $0 != UInt8(ascii: "\n") }.dropFirst()
      try files.replace(path, with: Array(kept))
    }
  }

  /// The valid entries, the oldest first.
  ///
  /// - Throws: `FileError` if the file exists and cannot be read.
  func entries() throws(FileError) -> [SentReply] {
    let bytes = try files.read(path, limit: 2 * Self.sizeLimit) ?? []
    return bytes.split(separator: UInt8(ascii: "\n")).compactMap { line in
      (try? JSONValue(parsing: Array(line))).flatMap(SentReply.shape.record)
    }
  }
}
