// SPDX-License-Identifier: MIT

package import OppiText
package import OppiWire

/// The result of one slot of a schedule: the time for which a run is scheduled, whenever it starts.
package struct ScheduleRun: Sendable, Hashable {
  /// A state of `ask --json`, or one of these.
  package enum State {
    /// The run has started, and its end is not recorded.
    package static let running = "running"
    /// The run was started, and its program was ended.
    package static let interrupted = "interrupted"
    package static let skipped = "skipped"
    package static let missed = "missed"
    package static let failed = "failed"
  }

  /// `nil` for a manual run.
  package internal(set) var slot: Timestamp?
  /// When the run started or was skipped.
  package internal(set) var startedAt: Timestamp
  package var endedAt: Timestamp?
  package var state: String
  package var sessionID: String?
  package var workspace: WorkspaceReference?
  /// The exit status; `nil` until the run has ended.
  package var status: Int?
  /// The error, on one line and safe to show.
  package var error: String?
  /// The cost of its turn, if it was awaited and the server reported it.
  package var cost: Dollars?

  package var session: SessionID? {
    guard let sessionID, let server = workspace?.serverID else { return nil }
    return SessionID(serverID: server, sessionID: sessionID)
  }

  /// Whether a prompt was or may have been sent.
  package var isRun: Bool { state != State.skipped && state != State.missed }

  static let shape = RecordShape(
    ScheduleRun(slot: nil, startedAt: Timestamp(milliseconds: 0), state: ""),
    [
      .optional("slot", { $1(&$0.slot) }, .milliseconds),
      .required("startedAt", { $1(&$0.startedAt) }, .milliseconds),
      .optional("endedAt", { $1(&$0.endedAt) }, .milliseconds),
      .custom("state") {
        .string($0.state)
      } read: { state, members, run in
        guard let state = state?.string else { return false }
        // Versions before 2026-12 had the same word for the outbox, where a prompt has no session.
        let isInOutbox = state == "queued" && members["sessionId"].wireID == nil
        run.state = isInOutbox ? QueuedPrompt.waitingWord : state.safeLine(limit: 40)
        return true
      },
      .optional("sessionId", { $1(&$0.sessionID) }, .wireID),
      .optional("workspace", { $1(&$0.workspace) }, .workspace),
      .optional("status", { $1(&$0.status) }, .integer),
      .optional("error", { $1(&$0.error) }, .line(400)),
      .optional("cost", { $1(&$0.cost) }, .dollars),
    ]
  )
}

/// A schedule and its recent runs, as stored in a file.
package struct ScheduleRecord: Sendable, Hashable {
  /// The number of runs that are kept.
  package static let limit = 50

  package var schedule: Schedule
  /// The last settled slot, or the time when the schedule was created or enabled.
  package internal(set) var settledUntil: Timestamp
  /// When the schedule was last enabled; `nil` if it never was disabled.
  package internal(set) var enabledAt: Timestamp?
  /// Whether the present series of failures was reported.
  package var isSeriesReported = false
  /// The last runs, oldest first.
  package internal(set) var runs: [ScheduleRun] = []

  package init(_ schedule: Schedule, at now: Timestamp) {
    self.schedule = schedule
    settledUntil = now
  }

  /// The last run with a known session.
  package var lastInSession: ScheduleRun? { runs.last { $0.sessionID != nil } }

  /// The last run whose prompt was or may have been sent, or is queued.
  package var lastRun: ScheduleRun? { runs.last(where: \.isRun) }

  /// Whether a run has started whose end is not recorded.
  package var isRunning: Bool { runs.contains { $0.state == ScheduleRun.State.running } }

  /// The last entry, including skipped and missed slots.
  package var lastOutcome: ScheduleRun? { runs.last }

  /// The time after which slots are due.
  ///
  /// If the clock was ahead, slots in the future are already settled. In that case the recorded
  /// runs count, and without any, only the last few minutes are due.
  package func settled(at now: Timestamp) -> Timestamp {
    guard settledUntil > now else { return settledUntil }
    let last = runs.filter(\.isRun).compactMap(\.slot).filter { $0 <= now }.max()
    return last ?? now.moved(by: .zero - schedule.jitter - Self.memory)
  }

  /// How long a passed slot stays due if no run is recorded.
  private static let memory = Duration.seconds(300)

  // MARK: - Transitions

  /// Settles a slot before its run starts; returns false if it or a later slot is already settled.
  ///
  /// - Parameters:
  ///   - slot: The slot; `nil` for a manual run, which settles none.
  ///   - now: The current time.
  ///   - state: ``ScheduleRun/State/running``, or why there is no run.
  /// - Returns: Whether the slot was settled; if not, nothing is changed.
  package mutating func claim(
    _ slot: Timestamp?,
    at now: Timestamp,
    as state: String = ScheduleRun.State.running
  ) -> Bool {
    if let slot {
      guard isOpen(slot, at: now) else { return false }
      settledUntil = slot
    }
    add(ScheduleRun(slot: slot, startedAt: now, state: state))
    return true
  }

  /// Whether neither a slot nor a later one is settled.
  package func isOpen(_ slot: Timestamp, at now: Timestamp) -> Bool {
    slot > settled(at: now) && !runs.contains { $0.isRun && $0.slot == slot }
  }

  /// Records slots without a run, and the reason.
  package mutating func pass(over slots: [Timestamp], at now: Timestamp, as state: String) {
    // Only the last ones are kept.
    for slot in slots.suffix(Self.limit) { _ = claim(slot, at: now, as: state) }
  }

  /// Records a waiting slot as skipped if a later one was settled and nothing is recorded for it.
  package mutating func noteOvertaken(_ slot: Timestamp, at now: Timestamp) {
    let slots = runs.compactMap(\.slot)
    guard !slots.contains(slot), slots.contains(where: { $0 > slot }) else { return }
    add(ScheduleRun(slot: slot, startedAt: now, state: ScheduleRun.State.skipped))
  }

  /// Updates the last run of a slot that started at the given time.
  package mutating func finish(
    _ slot: Timestamp?,
    startedAt: Timestamp,
    _ change: (inout ScheduleRun) -> Void
  ) {
    let index = runs.lastIndex { $0.slot == slot && $0.startedAt == startedAt }
    guard let index else { return }
    change(&runs[index])
    if runs[index].isRun, runs[index].status == 0 { isSeriesReported = false }
  }

  package mutating func endInterrupted() {
    for index in runs.indices where runs[index].state == ScheduleRun.State.running {
      runs[index].state = ScheduleRun.State.interrupted
    }
  }

  /// Enables the schedule; slots that passed while it was disabled do not count as missed.
  package mutating func enable(at now: Timestamp) {
    schedule.isEnabled = true
    (enabledAt, isSeriesReported) = (now, false)
    schedule.isPausedWithAll = false
    settledUntil = max(settledUntil, now)
  }

  /// Replaces the schedule; if that enables it, failures before do not count, as with
  /// ``enable(at:)``.
  package mutating func replace(with schedule: Schedule, at now: Timestamp) {
    let isResumed = schedule.isEnabled && !self.schedule.isEnabled
    self.schedule = schedule
    settledUntil = max(settledUntil, now)
    if isResumed { enable(at: now) }
  }

  private mutating func add(_ run: ScheduleRun) {
    runs.append(run)
    runs.removeFirst(max(0, runs.count - Self.limit))
  }

  package var health: ScheduleHealth { ScheduleHealth(runs, enabledAt: enabledAt) }
}

/// How the recorded runs of a schedule ended.
///
/// Slots without a run do not count.
package struct ScheduleHealth: Sendable, Equatable {
  /// After this many failures in a row, the series is reported, and the schedule may be paused.
  package static let seriesLength = 3

  /// The number of runs that have ended.
  package let endedCount: Int
  package let successCount: Int
  /// The number of failures since the last success, and since the schedule was last enabled.
  package let failuresInARow: Int
  /// The average time of the runs that have ended; `nil` without any.
  package let averageTime: Duration?
  /// The sum of the known costs; `nil` if none is known.
  package let cost: Dollars?

  package init(_ runs: [ScheduleRun], enabledAt: Timestamp? = nil) {
    let ended = runs.filter { $0.isRun && $0.status != nil }
    endedCount = ended.count
    successCount = ended.count { $0.status == 0 }
    failuresInARow =
      ended.reversed().prefix { run in
        run.status != 0 && enabledAt.map { run.startedAt >= $0 } ?? true
      }.count
    let times = ended.compactMap { run in
      run.endedAt.map { max(0, $0.milliseconds - run.startedAt.milliseconds) }
    }
    averageTime = times.isEmpty ? nil : .milliseconds(times.reduce(0, +) / times.count)
    let costs = ended.compactMap(\.cost)
    cost = costs.isEmpty ? nil : costs.reduce(.zero, +)
  }
}

extension ScheduleRecord: ShapedRecord {
  package static let shape = RecordShape(
    ScheduleRecord(
      Schedule(name: "", trigger: ScheduleTrigger(.at, "")),
      at: Timestamp(milliseconds: 0)
    ),
    [
      .required("name", { $1(&$0.schedule.name) }, .text),
      .required("trigger", { $1(&$0.schedule.trigger) }, .object(ScheduleTrigger.shape)),
      .required("calendar", { $1(&$0.schedule.calendar) }, .calendar),
      .required("cron", { $1(&$0.schedule.cron) }, .wholeList(of: .cron)),
      .required("zone", { $1(&$0.schedule.zone) }, .text.accepting(TimeZoneName.isValid)),
      .required("missed", { $1(&$0.schedule.missed) }, .word),
      .required("onOverlap", { $1(&$0.schedule.overlap) }, .word),
      .required("jitterMs", { $1(&$0.schedule.jitter) }, .milliseconds.accepting { $0 >= .zero }),
      .required("backend", { $1(&$0.schedule.backend) }, .word),
      .required("enabled", { $1(&$0.schedule.isEnabled) }, .bool),
      // Files of earlier versions have no such members.
      .checked("pauseOnFailure", { $1(&$0.schedule.pausesOnFailure) }, .bool),
      .checked("pausedWithAll", { $1(&$0.schedule.isPausedWithAll) }, .bool),
      .required("settledUntil", { $1(&$0.settledUntil) }, .milliseconds),
      .strict("enabledAt", { $1(&$0.enabledAt) }, .milliseconds),
      .checked("seriesReported", { $1(&$0.isSeriesReported) }, .bool),
      .required("runs", { $1(&$0.keptRuns) }, .wholeList(of: .object(ScheduleRun.shape))),
    ]
  )

  private var keptRuns: [ScheduleRun] {
    get { runs }
    set { runs = newValue.suffix(Self.limit) }
  }
}

// MARK: - Fields that go into a unit or a crontab

extension JSONField<[String]> {
  fileprivate static var calendar: JSONField {
    wholeList(of: .text.accepting(\.isCalendar)).accepting { !$0.isEmpty }
  }
}

extension JSONField<String> {
  /// A cron expression in the form that this program writes.
  fileprivate static var cron: JSONField {
    text.accepting { (try? CronExpression($0))?.cronText == $0 }
  }
}

extension String {
  /// Whether it has only characters of calendar expressions, and at most 500 bytes.
  fileprivate var isCalendar: Bool {
    (1...500).contains(utf8.count)
      && utf8.allSatisfy { $0.isASCIIAlphanumeric || " *,-.:/~".utf8.contains($0) }
  }
}
