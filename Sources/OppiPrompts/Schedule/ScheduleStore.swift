// SPDX-License-Identifier: MIT

import OppiClient
package import OppiModel
package import OppiSystem
import OppiText
import OppiWire

/// The schedules of shortcuts with their recent runs, one file each, in `schedules/`.
///
/// A slot is claimed in the file, and flushed, before anything is sent for it.
package typealias ScheduleStore = RecordFolder<String, ScheduleRecord>

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

  /// The shortcuts that have a schedule, sorted.
  package func all() throws(FileError) -> [ShortcutName] {
    try keys().compactMap { ShortcutName($0) }
  }

  /// Removes a schedule with its locks.
  func drop(_ name: String) async throws(FileError) {
    try await claim(name, lockTimeout: FileStore.lockTimeout) { () throws(FileError) in
      try remove(name)
    }
    // An active run keeps its lock and leaves an empty file.
    try? await whileRunning(name) {
      try files.removeLocked(runPath(of: name))
    } ifActive: {
    }
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
    try await whileRunning(name) {
      false
    } ifActive: {
      true
    }
  }

  /// Runs the body while no other run of the shortcut's schedule is active, or `ifActive` if another
  /// run is active for longer than `lockTimeout`.
  func whileRunning<Value>(
    _ name: String,
    lockTimeout: Duration = .zero,
    _ body: () async throws -> Value,
    ifActive: () async throws -> Value
  ) async throws -> Value {
    let path = runPath(of: name)
    return try await files.withLock(on: path, lockTimeout: lockTimeout, body, ifHeld: ifActive)
  }
}

extension Services {
  /// The schedule of a shortcut.
  ///
  /// - Throws: `OppiError` if the shortcut or its schedule does not exist; `FileError`.
  func existingSchedule(of name: ShortcutName) throws -> ScheduleRecord {
    if let record = try schedules.load(name.text) { return record }
    _ = try shortcuts.existing(name)
    throw OppiError(
      .noSuchSchedule,
      "shortcut \(name.text) has no schedule",
      hints: ["list the schedules with: oppi schedule"]
    )
  }
}

// MARK: - Requests to run servers' schedules

/// A request whose answer is not known, in a file in `schedule-requests`.
///
/// A repeated request with the same id starts no second run.
private struct RunRequest: ShapedRecord {
  var id: String?

  static let shape = RecordShape(RunRequest(), [.optional("requestId", { $1(&$0.id) }, .wireID)])
}

extension Services {
  /// Runs the body with the id of a kept request or a new one, or `ifHeld` if another process runs
  /// the same schedule.
  ///
  /// The body returns whether the answer is known; the request is kept otherwise, also if the
  /// process is killed.
  func withRunRequest<Value>(
    of schedule: String,
    on server: Fingerprint,
    _ body: (_ id: String, _ isRepeat: Bool) async -> (Result<Value, any Error>, isKnown: Bool),
    ifHeld: () async throws -> Value
  ) async throws -> Value {
    let name = server.text.dropFirst(Fingerprint.prefix.count)
    let path = "\(paths.scheduleRequestsFolder)/\(name)-\(schedule).json"
    return try await files.withLock(on: path, lockTimeout: .zero) {
      let file = RecordFile<RunRequest>(path, in: files)
      let kept = try file.load()?.id
      let id = kept ?? loop.newID()
      // Written first: without an answer, only the file knows the id.
      if kept == nil { try file.save(RunRequest(id: id)) }
      let (result, isKnown) = await body(id, kept != nil)
      if isKnown { try file.removeLocked() }
      return try result.get()
    } ifHeld: {
      try await ifHeld()
    }
  }
}

extension Services {
  package var schedules: ScheduleStore { ScheduleStore(paths: paths, files: files) }
}
