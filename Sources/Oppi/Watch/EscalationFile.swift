// SPDX-License-Identifier: MIT

import OppiModel
import OppiSystem

/// The steps that were taken for pending requests, in `escalations.json`.
///
/// A step is recorded, and flushed to the disk, before it is taken: it is taken at most once, also by
/// several processes and after a crash.
struct EscalationFile: Sendable {
  private static let version = 1

  private let file: JSONFile

  init(paths: XDGPaths, files: FileStore) {
    file = JSONFile(path: paths.escalationsFile, in: files)
  }

  /// Adds the pending requests; returns all entries.
  ///
  /// - Throws: `FileError` if the file cannot be read or replaced; a corrupt one is not changed.
  func note(
    _ pending: [EscalationKey],
    at now: Timestamp
  ) async throws(FileError) -> EscalationLedger {
    try await change { ledger in
      ledger.note(pending, at: now)
      return ledger
    }
  }

  /// Records that a step is about to be taken; returns the requests for which it was not recorded
  /// before, and for which the caller must take it.
  ///
  /// - Throws: As ``note(_:at:)``; then no step may be taken.
  func claim(
    _ step: EscalationStep,
    of keys: [EscalationKey]
  ) async throws(FileError) -> Set<EscalationKey> {
    try await change { ledger in Set(keys.filter { ledger.claim(step, of: $0) }) }
  }

  private func change<Result>(
    _ body: (inout EscalationLedger) -> Result
  ) async throws(FileError) -> Result {
    try await file.update { (members: inout JSONObject) throws(FileError) in
      var ledger = EscalationLedger(json: .object(members))
      let result = body(&ledger)
      members["version"] = .integer(Int64(Self.version))
      members["requests"] = ledger.requests
      return result
    }
  }
}
