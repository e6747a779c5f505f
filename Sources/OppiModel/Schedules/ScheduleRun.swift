// SPDX-License-Identifier: MIT

/// What became of one slot of a schedule: the moment that a run is for, whenever it really began.
package struct ScheduleRun: Sendable, Hashable {
  /// What it came to: a state of `ask --json`, or one of these.
  package enum State {
    /// It was begun, and its end is not written down.
    package static let running = "running"
    /// It was begun, and the program that ran it was ended.
    package static let interrupted = "interrupted"
    package static let skipped = "skipped"
    package static let missed = "missed"
    package static let failed = "failed"
  }

  /// `nil` for a run by hand.
  package let slot: Timestamp?
  /// When it began, or was passed over.
  package let startedAt: Timestamp
  package var endedAt: Timestamp?
  package var state: String
  package var sessionID: String?
  /// Where the session is.
  package var workspace: WorkspaceReference?
  /// The exit status, once it has one.
  package var status: Int?
  /// What went wrong, in one line, safe to show.
  package var error: String?

  package init(slot: Timestamp?, startedAt: Timestamp, state: String) {
    self.slot = slot
    self.startedAt = startedAt
    self.state = state
  }

  /// Whether a prompt was or may have been sent.
  package var isRun: Bool { state != State.skipped && state != State.missed }
}

/// A schedule and what became of it: what its file says.
package struct ScheduleRecord: Sendable, Hashable {
  /// How many runs are remembered.
  package static let limit = 50

  package var schedule: Schedule
  /// The last slot that is settled, or when the schedule was made or enabled.
  package private(set) var settledUntil: Timestamp
  /// The last ones, oldest first.
  package private(set) var runs: [ScheduleRun] = []

  package init(_ schedule: Schedule, at now: Timestamp) {
    self.schedule = schedule
    settledUntil = now
  }

  init(_ schedule: Schedule, settledUntil: Timestamp, runs: [ScheduleRun]) {
    self.schedule = schedule
    self.settledUntil = settledUntil
    self.runs = runs.suffix(Self.limit)
  }

  /// The last run that is known to have a session.
  package var lastInSession: ScheduleRun? { runs.last { $0.sessionID != nil } }

  /// The last run whose prompt was or may have been sent, or is kept.
  package var lastRun: ScheduleRun? { runs.last(where: \.isRun) }

  /// The last that has its slot settled, whatever became of it.
  package var lastOutcome: ScheduleRun? { runs.last }

  /// The moment after which slots are due.
  ///
  /// A clock that was ahead has settled what has not come yet. The runs that are written down count
  /// then, and nothing older than the last few minutes.
  package func settled(at now: Timestamp) -> Timestamp {
    guard settledUntil > now else { return settledUntil }
    let last = runs.filter(\.isRun).compactMap(\.slot).filter { $0 <= now }.max()
    return last ?? now.moved(by: .zero - schedule.jitter - Self.memory)
  }

  /// For how long what passed is due where nothing else is known.
  private static let memory = Duration.seconds(300)

  // MARK: - Transitions

  /// Takes a slot for a run that is about to begin.
  ///
  /// - Parameters:
  ///   - slot: The slot; `nil` for a run by hand, which takes none.
  ///   - now: The present moment.
  ///   - state: ``ScheduleRun/State/running``, or why there is no run.
  /// - Returns: False where the slot, or a later one, is settled already; nothing is changed then.
  package mutating func claim(
    _ slot: Timestamp?,
    at now: Timestamp,
    as state: String = ScheduleRun.State.running
  ) -> Bool {
    if let slot {
      guard slot > settled(at: now), !runs.contains(where: { $0.isRun && $0.slot == slot }) else {
        return false
      }
      settledUntil = slot
    }
    add(ScheduleRun(slot: slot, startedAt: now, state: state))
    return true
  }

  /// Writes down slots for which there is no run, and why.
  package mutating func pass(over slots: [Timestamp], at now: Timestamp, as state: String) {
    // More than are remembered need not be written down.
    for slot in slots.suffix(Self.limit) { _ = claim(slot, at: now, as: state) }
  }

  /// Writes down that a slot that waited was overtaken by a later one, where nothing is known of it.
  package mutating func noteOvertaken(_ slot: Timestamp, at now: Timestamp) {
    let slots = runs.compactMap(\.slot)
    guard !slots.contains(slot), slots.contains(where: { $0 > slot }) else { return }
    add(ScheduleRun(slot: slot, startedAt: now, state: ScheduleRun.State.skipped))
  }

  /// Writes down what became of the run that began last for a slot.
  package mutating func finish(
    _ slot: Timestamp?,
    startedAt: Timestamp,
    _ change: (inout ScheduleRun) -> Void
  ) {
    let index = runs.lastIndex { $0.slot == slot && $0.startedAt == startedAt }
    if let index { change(&runs[index]) }
  }

  /// Takes note that whatever is written down as running does so no more.
  package mutating func endInterrupted() {
    for index in runs.indices where runs[index].state == ScheduleRun.State.running {
      runs[index].state = ScheduleRun.State.interrupted
    }
  }

  /// Begins anew: what passed while it was disabled was not missed.
  package mutating func enable(at now: Timestamp) {
    schedule.isEnabled = true
    settledUntil = max(settledUntil, now)
  }

  /// Takes another definition and keeps what became of the runs before.
  package mutating func replace(with schedule: Schedule, at now: Timestamp) {
    self.schedule = schedule
    settledUntil = max(settledUntil, now)
  }

  private mutating func add(_ run: ScheduleRun) {
    runs.append(run)
    runs.removeFirst(max(0, runs.count - Self.limit))
  }
}
