// SPDX-License-Identifier: MIT

import OppiModel
import OppiSystem

/// The requests to run servers' schedules whose answers are not known, one file each in
/// `schedule-requests`.
///
/// A repeated request with the same id starts no second run.
struct ScheduleRequestStore: Sendable {
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
    return try await files.withLock(on: path, patience: .zero) { () async throws(FileError) in
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
