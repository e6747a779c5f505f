// SPDX-License-Identifier: MIT

import OppiModel
import OppiSystem

/// What the sessions of workspaces with a budget have cost, in `spending.json`.
struct SpendingFile: Sendable {
  private let file: JSONFile

  init(paths: XDGPaths, files: FileStore) {
    file = JSONFile(path: paths.spendingFile, in: files)
  }

  /// Adds the present totals to the ledger of a workspace, and returns the ledger.
  ///
  /// - Throws: `FileError` if the file cannot be read or written, or is damaged.
  func update(
    _ workspace: WorkspaceReference,
    with sightings: [SpendingLedger.Sighting],
    on today: LocalDate
  ) async throws(FileError) -> SpendingLedger {
    let path = file.path
    return try await file.update { members throws(FileError) in
      let known = members[workspace.description] ?? .null
      guard var ledger = known == .null ? SpendingLedger() : SpendingLedger(json: known) else {
        throw .unusable(path: path, reason: "the record of a workspace is damaged")
      }
      ledger.take(sightings, on: today)
      members[workspace.description] = ledger.json
      return ledger
    }
  }
}
