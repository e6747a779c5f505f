// SPDX-License-Identifier: MIT

import OppiModel
import OppiSystem

/// The schedules of shortcuts with their recent runs, one file each, in `schedules/`.
///
/// A slot is claimed in the file, and flushed, before anything is sent for it.
typealias ScheduleStore = RecordFolder<String, ScheduleRecord>

extension ScheduleStore {
  init(paths: XDGPaths, files: FileStore) {
    self.init(
      paths.schedulesFolder,
      in: files,
      // Enough for 50 runs with their errors.
      limit: 256 << 10,
      key: { $0.schedule.name },
      reason: "not a schedule"
    )
  }

  /// The path of the record of a schedule's installed units.
  func unitsPath(of name: String) -> String { "\(path)/\(name).units" }

  /// The folder for units before they are installed.
  var draftFolder: String { "\(path)/draft" }

  /// The shortcuts that have a schedule, sorted.
  func all() throws(FileError) -> [ShortcutName] {
    try keys().compactMap { ShortcutName($0) }
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

  /// Removes a schedule with its locks.
  func drop(_ name: String) async throws(FileError) {
    try await claim(name, lockTimeout: FileStore.lockTimeout) { () throws(FileError) in
      try remove(name)
    }
    // An active run keeps its lock and leaves an empty file.
    try? await whileRunning(name, ifActive: {}) { try files.removeLocked(runPath(of: name)) }
  }
}

// MARK: - Active runs

extension ScheduleStore {
  /// The file that an active run locks.
  private func runPath(of name: String) -> String { "\(path)/\(name).run" }

  /// Whether a run of the shortcut's schedule is active; takes its lock for a moment.
  ///
  /// - Throws: If the lock file cannot be used.
  func isRunning(_ name: String) async throws -> Bool {
    try await whileRunning(name, ifActive: { true }) { false }
  }

  /// Runs the body while no other run of the shortcut's schedule is active, or `ifActive` if another
  /// run is active for longer than `lockTimeout`.
  func whileRunning<Value>(
    _ name: String,
    lockTimeout: Duration = .zero,
    ifActive: () async throws -> Value,
    _ body: () async throws -> Value
  ) async throws -> Value {
    try await files.withLock(
      on: runPath(of: name),
      lockTimeout: lockTimeout,
      ifHeld: ifActive,
      body
    )
  }
}

/// The requests to run servers' schedules whose answers are not known, one file each in
/// `schedule-requests`.
///
/// A repeated request with the same id starts no second run.
struct RunRequestStore: Sendable {
  private struct Request: ShapedRecord {
    var id: String?

    static let shape = RecordShape(Request(), [.optional("requestId", \.id, .wireID)])
  }

  private let folder: String
  private let files: FileStore

  init(paths: XDGPaths, files: FileStore) {
    folder = paths.scheduleRequestsFolder
    self.files = files
  }

  /// Runs the body with the id of a kept request or `newID`, while no other process runs the same
  /// schedule.
  ///
  /// The body returns whether the answer is known; the request is kept otherwise, also if the
  /// process is killed.
  ///
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
      let file = RecordFile<Request>(path, in: files)
      let kept = try file.load()?.id
      // Written first: without an answer, only the file knows the id.
      if kept == nil { try file.save(Request(id: newID)) }
      let (result, isKnown) = await body(kept ?? newID, kept != nil)
      if isKnown { try file.removeLocked() }
      return result
    }
  }
}
