// SPDX-License-Identifier: MIT

package import OppiModel

/// The schedules of shortcuts with what became of their runs, one file each, in `schedules/`.
///
/// A slot is taken in the file, which is written through, before anything is sent for it.
package struct ScheduleStore: Sendable {
  /// 50 runs with their errors.
  private static let sizeLimit = 256 << 10
  private static let suffix = ".json"

  private let folder: String
  private let files: FileStore

  package init(paths: XDGPaths, files: FileStore) {
    folder = paths.schedulesFolder
    self.files = files
  }

  /// Where a schedule is kept.
  package func path(of name: String) -> String { "\(folder)/\(name)\(Self.suffix)" }

  /// Where it is kept what of a schedule was put where others look.
  package func unitsPath(of name: String) -> String { "\(folder)/\(name).units" }

  /// Where units are before they are put there.
  package var draftFolder: String { "\(folder)/draft" }

  /// What a run holds the lock of for as long as it goes on.
  private func runPath(of name: String) -> String { "\(folder)/\(name).run" }

  /// Returns the shortcuts that have a schedule, sorted.
  package func names() throws(FileError) -> [String] {
    try files.names(in: folder)
      .filter { $0.hasSuffix(Self.suffix) && !$0.hasPrefix(".") }
      .map { String($0.dropLast(Self.suffix.count)) }
      .sorted()
  }

  /// Returns the schedule of a shortcut, `nil` where it has none.
  ///
  /// - Throws: `.unusable`, too, where the file is not what this program writes; it is left alone.
  package func load(_ name: String) throws(FileError) -> ScheduleRecord? {
    guard let json = try file(name).load() else { return nil }
    guard let record = ScheduleRecord(json: json), record.schedule.name == name else {
      throw .unusable(path: path(of: name), reason: "not a schedule")
    }
    return record
  }

  /// Changes a record while nobody else can; it is on the disk when this returns.
  ///
  /// - Parameters:
  ///   - name: The shortcut.
  ///   - change: The change; what it makes `nil` is not written.
  /// - Returns: What the change returned.
  /// - Throws: `FileError` where the file cannot be locked, read or replaced, or the change throws.
  @discardableResult
  package func update<Result>(
    _ name: String,
    _ change: (inout ScheduleRecord?) throws(FileError) -> Result
  ) async throws(FileError) -> Result {
    try await files.withLock(on: path(of: name)) { () throws(FileError) in
      let before = try load(name)
      var record = before
      let result = try change(&record)
      if let record, record != before { try file(name).save(record.json) }
      return result
    }
  }

  /// Forgets a schedule.
  package func remove(_ name: String) async throws(FileError) {
    try await files.withLock(on: path(of: name)) { () throws(FileError) in
      try files.removeLocked(path(of: name))
    }
    // A run that goes on keeps its lock, and leaves an empty file.
    try? await files.withLock(on: runPath(of: name), patience: .zero) { () throws(FileError) in
      try files.removeLocked(runPath(of: name))
    }
  }

  /// Whether a run of the shortcut's schedule goes on; its lock is tried for a moment.
  ///
  /// - Throws: Where the lock cannot be tried.
  package func isRunning(_ name: String) async throws(FileError) -> Bool {
    do {
      try await files.withLock(on: runPath(of: name), patience: .zero) { () throws(FileError) in }
      return false
    } catch .lockHeld {
      return true
    }
  }

  /// Runs the body while no other run of the shortcut's schedule goes on.
  ///
  /// - Throws: `.lockHeld` where one has gone on for longer than the patience.
  package func whileRunning<Result>(
    _ name: String,
    patience: Duration,
    _ body: () async throws(FileError) -> Result
  ) async throws(FileError) -> Result {
    try await files.withLock(on: runPath(of: name), patience: patience, body)
  }

  private func file(_ name: String) -> JSONFile {
    JSONFile(path: path(of: name), in: files, limit: Self.sizeLimit)
  }
}
