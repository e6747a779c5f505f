// SPDX-License-Identifier: MIT

import EventLoop
import OppiIntents
import OppiModel
import OppiRendering
import OppiSystem

/// What a timer or cron fires: a run for the slot that is due, which is never run twice.
struct ScheduledRun {
  /// With `--missed skip` a run that is later than this, and its jitter, is missed.
  private static let grace = Duration.seconds(300)
  /// With `--on-overlap queue` the run before is waited for no longer than this.
  private static let patience = Duration.seconds(3600)
  /// Who only looks whether a run goes on holds its lock for a moment.
  private static let glance = Duration.seconds(1)
  /// Between two looks at whether the session of the run before is at work.
  private static let pause = Duration.seconds(10)

  let name: ShortcutName
  /// Whether a run stays until its turn is over, so that its lock says that it goes on.
  let isWaiting: Bool
  /// Whether a prompt that cannot be delivered is kept for later.
  let isQueueing: Bool
  let context: Context
  /// Runs the shortcut under a key where it is kept in the outbox.
  let fire: (OutboxKey?) async throws -> Report

  private var store: ScheduleStore { context.schedules }

  /// Runs what is due.
  ///
  /// - Throws: What went wrong, which is told on the desktop, too.
  func run() async throws -> Report {
    do {
      let record = try store.existing(name)
      guard record.schedule.isEnabled else {
        return .step(status: StyledText("the schedule of \(name.text) is disabled"))
      }
      let slots = try await due(record)
      guard let slot = slots.last else {
        return .step(status: StyledText("nothing is due of \(name.text)"))
      }
      if isLate(slot, record.schedule) {
        try await pass(over: slots, as: ScheduleRun.State.missed)
        return .step(status: StyledText("too late for the run of \(slot.iso8601), which is missed"))
      }
      return .end(failure: try await take(slot, missing: slots.dropLast(), record.schedule))
    } catch {
      let failure = OppiError(error)
      await tell(failure)
      throw failure
    }
  }

  /// Whether a run is not to be made up for: a machine that slept wakes up to it.
  private func isLate(_ slot: Timestamp, _ schedule: Schedule) -> Bool {
    schedule.missed == .skip
      && slot.moved(by: schedule.jitter + Self.grace) < context.now()
  }

  /// The slots that are not settled, up to now.
  private func due(_ record: ScheduleRecord) async throws -> [Timestamp] {
    let now = context.now()
    guard record.schedule.backend == .systemd else {
      let expressions = record.schedule.cron.compactMap { try? CronExpression($0) }
      return CronSlots(expressions, clock: LocalTime.clock)
        .due(after: record.settled(at: now), at: now)
    }
    return try await ScheduleCalendar(context: context)
      .slots(of: record.schedule, after: record.settled(at: now), upTo: now)
  }

  // MARK: - One after another

  private func take(
    _ slot: Timestamp,
    missing missed: some Sequence<Timestamp>,
    _ schedule: Schedule
  ) async throws -> OppiError? {
    let missed = Array(missed)
    let patience = schedule.overlap == .queue ? Self.patience : Self.glance
    do {
      return try await store.whileRunning(name.text, patience: patience) {
        () throws(FileError) in
        await Result(catching: { try await runAll(from: slot, missing: missed, schedule) })
      }.get()
    } catch FileError.lockHeld {
      try await pass(over: missed, as: ScheduleRun.State.missed)
      try await pass(over: [slot], as: ScheduleRun.State.skipped)
      await context.console.status("skipped: the run before still goes on")
      return nil
    }
  }

  /// Runs a slot, and of what became due meanwhile the last one where that is wanted.
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

  /// What became due during a run: a timer does nothing while its service runs, other than cron.
  private func dueMeanwhile(_ schedule: Schedule) async throws -> [Timestamp] {
    try Task.checkCancellation()
    guard schedule.backend == .systemd, let record = try store.load(name.text),
      record.schedule.isEnabled
    else { return [] }
    return try await due(record)
  }

  private func pass(over slots: [Timestamp], as state: String) async throws {
    guard !slots.isEmpty else { return }
    let now = context.now()
    try await store.update(name.text) { record throws(FileError) in
      record?.pass(over: slots, at: now, as: state)
    }
  }

  // MARK: - One run

  private func run(_ slot: Timestamp, _ schedule: Schedule) async throws -> OppiError? {
    let now = context.now()
    var before: ScheduleRecord?
    let isOwn = try await store.update(name.text) { record throws(FileError) in
      record?.endInterrupted()
      before = record
      let isOwn = record?.claim(slot, at: now) ?? false
      if !isOwn { record?.noteOvertaken(slot, at: now) }
      return isOwn
    }
    guard isOwn else {
      await context.console.status(StyledText("the run of \(slot.iso8601) was done before"))
      return nil
    }
    let log = ScheduleLog(name: name, slot: slot, startedAt: now, context: context)
    if schedule.backend == .cron { try await delay(by: schedule.jitter) }
    let failure = try await log.writing(
      try await report(of: schedule.key(of: slot), after: before, schedule)
    )
    if let failure { await tell(failure) }
    return failure
  }

  /// Runs the shortcut, unless something of the runs before goes on.
  private func report(
    of key: OutboxKey?,
    after record: ScheduleRecord?,
    _ schedule: Schedule
  ) async throws -> Report {
    if let obstacle = try await obstacle(after: record, schedule) {
      await context.console.status(StyledText("skipped: \(obstacle)"))
      return Report(.object(["state": .string(ScheduleRun.State.skipped)]))
    }
    return try await context.printing { try await fire(key) }
  }

  /// Cron has no delay by chance of its own.
  private func delay(by jitter: Duration) async throws {
    guard jitter > .zero else { return }
    var random = context.loop.random
    let delay = Int.random(in: 0...jitter.milliseconds, using: &random)
    try await context.loop.sleep(for: .milliseconds(delay))
  }

  /// What of the runs before goes on still, in words, after a wait where that is wanted.
  private func obstacle(
    after record: ScheduleRecord?,
    _ schedule: Schedule
  ) async throws -> String? {
    guard !isWaiting, let record else { return nil }
    var kept: QueuedPrompt?
    do throws(FileError) {
      if let run = record.lastRun { kept = try prompt(of: run, schedule) }
    } catch {
      let unknown = "whether the prompt of the run before waits is not known"
      return "\(unknown): \(OppiError(error).message)"
    }
    if schedule.overlap == .skip, kept?.isOpen(at: context.now()) == true {
      return "the prompt of the run before waits in the outbox"
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
        return "the session of the run before is at work"
      }
      try await context.loop.sleep(for: Self.pause)
    }
    return nil
  }

  /// What the outbox knows of a run's prompt.
  private func prompt(
    of run: ScheduleRun,
    _ schedule: Schedule
  ) throws(FileError) -> QueuedPrompt? {
    guard let key = run.slot.flatMap({ schedule.key(of: $0) }) else { return nil }
    return try context.outbox.load(key)
  }

  /// Whether the session of a run is at work.
  ///
  /// A server that says nothing may have it at work. A prompt that would be kept for later anyway is
  /// kept then, as its shortcut wants, and a session that was at work is waited for; any other run
  /// fails, and sends nothing.
  ///
  /// - Parameters:
  ///   - run: The run before.
  ///   - assumed: What is taken for the answer where the server cannot be reached; `nil` where that is
  ///     a failure.
  /// - Returns: Whether it is.
  /// - Throws: Where that is not known.
  private func isAtWork(_ run: ScheduleRun, elseAssuming assumed: Bool?) async throws -> Bool {
    guard let id = run.sessionID, let workspace = run.workspace else { return false }
    do {
      let servers = try context.serverStore.load().servers
      // The run does not go to a server that was forgotten.
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
      var failure = OppiError(error)
      failure.message =
        "whether the session of the run before is at work is not known: \(failure.message)"
      throw failure
    }
  }

  /// Tells of a failure where nobody looks at a terminal.
  private func tell(_ failure: OppiError) async {
    guard failure.code != .interrupted else { return }
    await DesktopOutcome(command: "run \(name.text)", context: context.ofLogin).tell(failure)
  }
}
