// SPDX-License-Identifier: MIT

import OppiModel
import OppiSystem

/// The schedules of shortcuts with their recent runs, one file each, in `schedules/`.
///
/// A slot is claimed in the file, and flushed, before anything is sent for it.
struct ScheduleStore: Sendable {
  /// In bytes: enough for 50 runs with their errors.
  private static let sizeLimit = 256 << 10

  private let folder: String
  private let files: FileStore

  init(paths: XDGPaths, files: FileStore) {
    folder = paths.schedulesFolder
    self.files = files
  }

  func path(of name: String) -> String { "\(folder)/\(name).json" }

  /// The path of the record of a schedule's installed units.
  func unitsPath(of name: String) -> String { "\(folder)/\(name).units" }

  /// The folder for units before they are installed.
  var draftFolder: String { "\(folder)/draft" }

  /// The file that an active run locks.
  private func runPath(of name: String) -> String { "\(folder)/\(name).run" }

  /// Returns the shortcuts that have a schedule, sorted.
  func names() throws(FileError) -> [String] {
    try files.jsonNames(in: folder)
  }

  /// Returns the schedule of a shortcut, `nil` if it has none.
  ///
  /// - Throws: Also `.unusable` if the file is not a schedule; the file is not changed.
  func load(_ name: String) throws(FileError) -> ScheduleRecord? {
    guard let json = try file(name).load() else { return nil }
    guard let record = ScheduleRecord(json: json), record.schedule.name == name else {
      throw .unusable(path: path(of: name), reason: "not a schedule")
    }
    return record
  }

  /// Changes a record under its lock and flushes it to the disk.
  ///
  /// - Parameters:
  ///   - name: The shortcut.
  ///   - change: The change; a record set to `nil` is not written.
  /// - Returns: The result of the change.
  /// - Throws: `FileError` if the file cannot be locked, read or replaced, or the change throws.
  @discardableResult
  func update<Result>(
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

  func remove(_ name: String) async throws(FileError) {
    try await files.withLock(on: path(of: name)) { () throws(FileError) in
      try file(name).removeLocked()
    }
    // An active run keeps its lock and leaves an empty file.
    try? await files.withLock(on: runPath(of: name), lockTimeout: .zero) { () throws(FileError) in
      try files.removeLocked(runPath(of: name))
    }
  }

  /// Whether a run of the shortcut's schedule is active; takes its lock for a moment.
  ///
  /// - Throws: If the lock file cannot be used.
  func isRunning(_ name: String) async throws(FileError) -> Bool {
    do {
      try await files.withLock(on: runPath(of: name), lockTimeout: .zero) { () throws(FileError) in
      }
      return false
    } catch .lockHeld {
      return true
    }
  }

  /// Runs the body while no other run of the shortcut's schedule is active.
  ///
  /// - Throws: `.lockHeld` if another run is active for longer than `lockTimeout`.
  func whileRunning<Result>(
    _ name: String,
    lockTimeout: Duration,
    _ body: () async throws(FileError) -> Result
  ) async throws(FileError) -> Result {
    try await files.withLock(on: runPath(of: name), lockTimeout: lockTimeout, body)
  }

  private func file(_ name: String) -> JSONFile {
    JSONFile(path: path(of: name), in: files, limit: Self.sizeLimit)
  }
}

extension ScheduleStore {
  /// The shortcuts that have a schedule, sorted.
  func all() throws(FileError) -> [ShortcutName] {
    try names().compactMap { ShortcutName($0) }
  }

  /// - Throws: `OppiError` if there is none; else as ``load(_:)``.
  func existing(_ name: ShortcutName) throws -> ScheduleRecord {
    guard let record = try load(name.text) else {
      throw OppiError(
        .noSuchSchedule,
        "shortcut \(name.text) has no schedule",
        hints: ["list the schedules with: oppi schedule"]
      )
    }
    return record
  }
}

/// The requests to run servers' schedules whose answers are not known, one file each in
/// `schedule-requests`.
///
/// A repeated request with the same id starts no second run.
struct RunRequestStore: Sendable {
  private let folder: String
  private let files: FileStore

  init(paths: XDGPaths, files: FileStore) {
    folder = paths.scheduleRequestsFolder
    self.files = files
  }

  /// Runs the body while no other process runs the same schedule.
  ///
  /// The body returns whether the answer is known; the request is kept otherwise, also if the
  /// process is killed.
  ///
  /// - Parameters:
  ///   - schedule: The id of the schedule on its server.
  ///   - server: The server.
  ///   - newID: The id of a new request.
  ///   - body: Gets the request's id, and whether it was sent before.
  /// - Returns: The result of the body.
  /// - Throws: `.lockHeld` if another process runs the schedule.
  func withRequest<Result>(
    of schedule: String,
    on server: Fingerprint,
    newID: String,
    _ body: (_ id: String, _ isRepeat: Bool) async -> (Result, isKnown: Bool)
  ) async throws(FileError) -> Result {
    let name = server.text.dropFirst(Fingerprint.prefix.count)
    let path = "\(folder)/\(name)-\(schedule).json"
    return try await files.withLock(on: path, lockTimeout: .zero) { () async throws(FileError) in
      let file = JSONFile(path: path, in: files)
      let kept = try file.load()?["requestId"].wireID
      // Written first: without an answer, only the file knows the id.
      if kept == nil { try file.save(["requestId": .string(newID)]) }
      let (result, isKnown) = await body(kept ?? newID, kept != nil)
      if isKnown { try file.removeLocked() }
      return result
    }
  }
}
