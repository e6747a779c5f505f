// SPDX-License-Identifier: MIT

import EventLoop
import OppiClient
import OppiModel
import OppiSystem
import OppiTerminal
import OppiText
import OppiWire

/// A run that a timer or cron starts, for the due slot; no slot runs twice.
extension FiredShortcut {
  /// How long `--on-overlap skip` waits for an active run: a process that only checks for one holds
  /// its lock for a moment.
  private static let glance = Duration.seconds(1)

  /// Runs the due slot; reports why nothing was run, or the failure of the last failed run.
  ///
  /// - Throws: An error from before any run was recorded; it is also shown on the desktop.
  func runDueSlot() async throws -> Report {
    do {
      let record = try services.existingSchedule(of: name)
      guard record.schedule.isEnabled else {
        return .step(status: StyledText("the schedule of \(name.text) is paused"))
      }
      let slots = try await due(record)
      guard let slot = slots.last else {
        return .step(status: StyledText("no run of \(name.text) is due"))
      }
      // For example after the machine was suspended.
      let limit = slot.moved(by: record.schedule.jitter + ScheduleOutlook.grace)
      if record.schedule.missed == .skip, limit < services.now() {
        try await pass(over: slots, as: ScheduleRun.State.missed)
        return .step(
          status: StyledText("the run of \(slot.iso8601) is too late and counts as missed")
        )
      }
      return .end(failure: try await take(slot, missing: slots.dropLast(), record.schedule))
    } catch {
      await notify(of: OppiError(error))
      throw error
    }
  }

  /// The unsettled slots up to now.
  private func due(_ record: ScheduleRecord) async throws -> [Timestamp] {
    let now = services.now()
    let settled = record.settled(at: now)
    guard record.schedule.backend == .systemd else {
      let expressions = record.schedule.cron.compactMap { try? CronExpression($0) }
      return CronSlots.due(expressions, after: settled, at: now, clock: LocalTime.clock)
    }
    return try await services.calendar.slots(of: record.schedule, after: settled, upTo: now)
  }

  // MARK: - Due slots

  private func take(
    _ slot: Timestamp,
    missing missed: [Timestamp],
    _ schedule: Schedule
  ) async throws -> OppiError? {
    let timeout = schedule.overlap == .queue ? Self.timeout : Self.glance
    return try await store.whileRunning(name.text, lockTimeout: timeout) {
      try await runAll(from: slot, missing: missed, schedule)
    } ifActive: {
      // A process that delays its run has not claimed the slot, which may be this one.
      if try !schedule.isDelayedHere || store.load(name.text)?.isRunning == true {
        try await pass(over: missed, as: ScheduleRun.State.missed)
        try await pass(over: [slot], as: ScheduleRun.State.skipped)
      }
      await services.reporter.status("skipped: the previous run is still active")
      return nil
    }
  }

  /// Runs a slot, and with `--on-overlap queue` the last slot that became due meanwhile.
  private func runAll(
    from slot: Timestamp,
    missing missed: [Timestamp],
    _ schedule: Schedule
  ) async throws -> OppiError? {
    try await pass(over: missed, as: ScheduleRun.State.missed)
    var failure = try await run(slot, schedule)
    if schedule.overlap == .queue {
      let waiting = try await dueMeanwhile(schedule)
      try await pass(over: waiting.dropLast(), as: ScheduleRun.State.skipped)
      if let next = waiting.last { failure = try await run(next, schedule) ?? failure }
    }
    try await pass(over: try await dueMeanwhile(schedule), as: ScheduleRun.State.skipped)
    return failure
  }

  /// The slots that became due during a run: a timer, unlike cron, starts nothing while its service
  /// runs.
  private func dueMeanwhile(_ schedule: Schedule) async throws -> [Timestamp] {
    try Task.checkCancellation()
    guard schedule.backend == .systemd, let record = try store.load(name.text),
      record.schedule.isEnabled
    else { return [] }
    return try await due(record)
  }

  private func pass(over slots: [Timestamp], as state: String) async throws {
    guard !slots.isEmpty else { return }
    let now = services.now()
    try await store.update(name.text) { record throws(FileError) in
      record?.pass(over: slots, at: now, as: state)
    }
  }

  // MARK: - One run

  private func run(_ slot: Timestamp, _ schedule: Schedule) async throws -> OppiError? {
    try await delay(slot, schedule)
    let now = services.now()
    var before: ScheduleRecord?
    let isOwn = try await store.update(name.text) { record throws(FileError) in
      record?.endInterrupted()
      before = record
      let isOwn = record?.claim(slot, at: now) ?? false
      if !isOwn { record?.noteOvertaken(slot, at: now) }
      return isOwn
    }
    guard isOwn else {
      await services.reporter.status("skipped: the run of \(slot.iso8601) was already started")
      return nil
    }
    let failure = try await recording(slot, startedAt: now) {
      try await run(under: schedule.key(of: slot), after: before, schedule)
    }
    if let failure { try await report(failure) }
    return failure
  }

  /// Delays a run that cron has started.
  ///
  /// The slot is claimed after that, so that it stays due if the process is ended meanwhile.
  private func delay(_ slot: Timestamp, _ schedule: Schedule) async throws {
    guard schedule.isDelayedHere else { return }
    let isDue = try await store.update(name.text) { record throws(FileError) in
      record?.endInterrupted()
      return record?.isOpen(slot, at: services.now()) ?? false
    }
    guard isDue else { return }
    var random = services.loop.random
    let delay = Int.random(in: 0...schedule.jitter.milliseconds, using: &random)
    try await services.loop.sleep(for: .milliseconds(delay))
  }

  /// Runs the shortcut, unless a previous run is still active.
  private func run(
    under key: OutboxKey?,
    after record: ScheduleRecord?,
    _ schedule: Schedule
  ) async throws -> FiredShortcut.Ending {
    if let record {
      let obstacle =
        isWaiting ? try continuation(in: record) : try await obstacle(in: record, schedule)
      if let obstacle {
        await services.reporter.status("skipped: \(obstacle)")
        return (RunResult(state: ScheduleRun.State.skipped), nil)
      }
    }
    return try await run(under: key)
  }
}

extension Schedule {
  /// Whether this program delays the runs: a timer does it itself.
  fileprivate var isDelayedHere: Bool { backend == .cron && jitter > .zero }
}

/// Checks whether a previous run of a schedule is still active: its prompt is queued, or its
/// session is busy.
extension FiredShortcut {
  /// How long `--on-overlap queue` waits for the previous run.
  private static let timeout = Duration.seconds(3600)
  /// The time between two checks of the session.
  private static let pause = Duration.seconds(10)

  /// Returns why the next run cannot start; `nil` if it can.
  ///
  /// With `--on-overlap queue`, waits for a busy session first.
  ///
  /// - Throws: `OppiError` if the state of the session is not known; `CancellationError`.
  private func obstacle(
    in record: ScheduleRecord,
    _ schedule: Schedule
  ) async throws -> String? {
    var kept: QueuedPrompt?
    do throws(FileError) {
      if let key = record.lastRun?.slot.flatMap({ schedule.key(of: $0) }) {
        kept = try services.outbox.load(key)
      }
    } catch {
      let unknown = "could not check whether the prompt of the previous run is still queued"
      return "\(unknown): \(services.reporter.reason(of: error).message)"
    }
    if schedule.overlap == .skip, kept?.isOpen(at: services.now()) == true {
      return "the prompt of the previous run is still queued"
    }
    guard var run = record.lastInSession ?? record.lastRun else { return nil }
    if let session = kept?.session {
      (run.sessionID, run.workspace) = (session, kept?.target.workspace)
    }
    let deadline = services.loop.now + Self.timeout
    var assumed = isQueueing ? false : nil
    while try await isAtWork(run, elseAssuming: assumed) {
      assumed = true
      guard schedule.overlap == .queue, services.loop.now < deadline else {
        return "the session of the previous run is busy"
      }
      try await services.loop.sleep(for: Self.pause)
    }
    return nil
  }

  /// Returns why the next run of a shortcut that waits for its turns cannot start: the last turn
  /// reached a usage limit, and its continuation is queued; `nil` if it can.
  ///
  /// - Throws: `FileError` if the outbox cannot be read.
  private func continuation(in record: ScheduleRecord) throws(FileError) -> String? {
    guard let run = record.lastInSession else { return nil }
    for key in try services.outbox.keys() {
      // A prompt that cannot be read cannot be sent either; a flush reports it.
      guard let prompt = try? services.outbox.load(key) else { continue }
      let server = run.workspace?.serverID ?? prompt.target.serverID
      if prompt.isContinuation, prompt.session == run.sessionID, prompt.target.serverID == server,
        prompt.isOpen(at: services.now())
      {
        return "the continuation of the previous run is still queued"
      }
    }
    return nil
  }

  /// Whether the session of a run is busy.
  ///
  /// `assumed` is the result if the server cannot be reached; `nil` makes that an error. With
  /// queueing, an unreachable server counts as idle on the first check, because the outbox keeps
  /// the prompt, and as busy after a busy answer.
  ///
  /// - Throws: `OppiError` if the state of the session is not known.
  private func isAtWork(_ run: ScheduleRun, elseAssuming assumed: Bool?) async throws -> Bool {
    guard let id = run.sessionID, let workspace = run.workspace else { return false }
    do {
      let servers = try services.serverStore.load().servers
      // A forgotten server cannot get the run.
      guard let server = servers.first(where: { $0.id == workspace.serverID }) else { return false }
      let api = try await services.connections.client(for: server)
      let found = try await api.within(ServerCalls.limit)
        .session(id, workspaceID: workspace.workspaceID)
      return found.session.status.isAtWork
    } catch {
      let failure = error as? OppiError
      if failure?.reason == .unknownSession { return false }
      if let assumed, failure?.isPassing == true { return assumed }
      var unknown = OppiError(error)
      unknown.message =
        "could not check whether the session of the previous run is busy: \(unknown.message)"
      throw unknown
    }
  }
}
