// SPDX-License-Identifier: MIT

import OppiIntents
import OppiModel
import OppiSystem

/// Where the end of one run is written down.
struct ScheduleLog {
  let name: ShortcutName
  /// `nil` for a run by hand.
  let slot: Timestamp?
  let startedAt: Timestamp
  let context: Context

  /// Writes down what a run came to, whether it ended well or not.
  ///
  /// - Parameter run: The run; what it throws is written down and returned.
  /// - Returns: Why it failed; `nil` where it did not.
  /// - Throws: Where it cannot be written down.
  func writing(_ run: @autoclosure () async throws -> Report) async throws -> OppiError? {
    let report: Report
    do {
      report = try await run()
    } catch {
      let failure = OppiError(error)
      try await end(as: Self.state(of: failure), failure)
      return failure
    }
    let document = report.documents.first ?? .null
    let state = document["state"].string ?? report.failure.map(Self.state) ?? "done"
    try await end(as: state, report.failure, document)
    return report.failure
  }

  private static func state(of failure: OppiError) -> String {
    switch failure.code {
    case .interrupted, .terminated: ScheduleRun.State.interrupted
    case .deliveryUnknown: "unknown"
    default: ScheduleRun.State.failed
    }
  }

  /// Writes down how the run ended.
  func end(
    as state: String,
    _ failure: OppiError? = nil,
    _ document: JSONValue = .null
  ) async throws {
    let now = context.now()
    let status = failure?.code.status ?? .success
    try await context.schedules.update(name.text) { record throws(FileError) in
      record?.finish(slot, startedAt: startedAt) { run in
        run.endedAt = now
        run.state = state
        run.sessionID = document["sessionId"].string ?? failure?.details["sessionId"]?.string
        run.workspace = document["workspace"]["id"].string.flatMap { WorkspaceReference($0) }
        run.status = Int(status.rawValue)
        run.error = failure.map { $0.message.safeLine(limit: 400) }
      }
    }
  }
}

extension Context {
  /// Prints what a body reports while something is still held for it, and returns it.
  func printing(_ body: () async throws -> Report) async throws -> Report {
    let report = try await body()
    do {
      try await console.print(report)
    } catch is ReaderGone {}
    return report
  }
}

extension ScheduleStore {
  /// Returns all names of shortcuts that have a schedule.
  func all() throws(FileError) -> [ShortcutName] { try names().compactMap { ShortcutName($0) } }

  /// The schedule of a shortcut.
  ///
  /// - Throws: `OppiError` where it has none, what ``load(_:)`` throws else.
  func existing(_ name: ShortcutName) throws -> ScheduleRecord {
    guard let record = try load(name.text) else {
      throw OppiError(
        .noSuchSchedule,
        "the shortcut \(name.text) has no schedule",
        hints: ["see those that there are with: oppi schedule"]
      )
    }
    return record
  }
}
