// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiSystem

/// Checks whether a previous run of a schedule is still active: its prompt is queued, or its
/// session is busy.
struct PreviousRun {
  /// How long `--on-overlap queue` waits for the previous run.
  static let patience = Duration.seconds(3600)
  /// The time between two checks of the session.
  private static let pause = Duration.seconds(10)

  private let schedule: Schedule
  private let isQueueing: Bool
  private let context: IntentContext

  init(_ schedule: Schedule, isQueueing: Bool, _ context: IntentContext) {
    (self.schedule, self.isQueueing, self.context) = (schedule, isQueueing, context)
  }

  /// Returns why the next run cannot start; `nil` if it can.
  ///
  /// With `--on-overlap queue`, waits for a busy session first.
  ///
  /// - Throws: `SchedulingError.sessionStateUnknown`; `CancellationError`.
  func obstacle(in record: ScheduleRecord) async throws -> String? {
    var kept: QueuedPrompt?
    do throws(FileError) {
      if let run = record.lastRun { kept = try prompt(of: run) }
    } catch {
      let unknown = "could not check whether the prompt of the previous run is still queued"
      return "\(unknown): \(context.reporter.reason(of: error).message)"
    }
    if schedule.overlap == .skip, kept?.isOpen(at: context.now()) == true {
      return "the prompt of the previous run is still queued"
    }
    guard var run = record.lastInSession ?? record.lastRun else { return nil }
    if let session = kept?.session {
      (run.sessionID, run.workspace) = (session, kept?.target.workspace)
    }
    let deadline = context.loop.now + Self.patience
    var assumed = isQueueing ? false : nil
    while try await isAtWork(run, elseAssuming: assumed) {
      assumed = true
      guard schedule.overlap == .queue, context.loop.now < deadline else {
        return "the session of the previous run is busy"
      }
      try await context.loop.sleep(for: Self.pause)
    }
    return nil
  }

  /// Returns why the next run of a shortcut that waits for its turns cannot start: the last turn
  /// reached a usage limit, and its continuation is queued; `nil` if it can.
  ///
  /// - Throws: `FileError` if the outbox cannot be read.
  func continuation(in record: ScheduleRecord) throws(FileError) -> String? {
    guard let run = record.lastInSession else { return nil }
    for key in try context.outbox.keys() {
      // A prompt that cannot be read cannot be sent either; a flush reports it.
      guard let prompt = try? context.outbox.load(key) else { continue }
      let server = run.workspace?.serverID ?? prompt.target.serverID
      if prompt.isContinuation, prompt.session == run.sessionID, prompt.target.serverID == server,
        prompt.isOpen(at: context.now())
      {
        return "the continuation of the previous run is still queued"
      }
    }
    return nil
  }

  /// The stored prompt of a run, if any.
  private func prompt(of run: ScheduleRun) throws(FileError) -> QueuedPrompt? {
    guard let key = run.slot.flatMap({ schedule.key(of: $0) }) else { return nil }
    return try context.outbox.load(key)
  }

  /// Whether the session of a run is busy.
  ///
  /// `assumed` is the result if the server cannot be reached; `nil` makes that an error. With
  /// queueing, an unreachable server counts as idle on the first check, because the outbox keeps
  /// the prompt, and as busy after a busy answer.
  ///
  /// - Throws: `SchedulingError.sessionStateUnknown`.
  private func isAtWork(_ run: ScheduleRun, elseAssuming assumed: Bool?) async throws -> Bool {
    guard let id = run.sessionID, let workspace = run.workspace else { return false }
    do {
      let servers = try context.serverStore.load().servers
      // A forgotten server cannot get the run.
      guard let server = servers.first(where: { $0.id == workspace.serverID }) else { return false }
      let api = try await context.connections.client(for: server)
      let found = try await api.session(
        id,
        workspaceID: workspace.workspaceID,
        until: context.loop.now + Fleet.limit
      )
      return found.session.status.isAtWork
    } catch IntentError.unknownSession {
      return false
    } catch {
      if let assumed, (error as? IntentError)?.isPassing == true { return assumed }
      throw SchedulingError.sessionStateUnknown(because: error)
    }
  }
}
