// SPDX-License-Identifier: MIT

extension ScheduleRecord {
  static let shape = RecordShape(
    ScheduleRecord(
      Schedule(name: "", trigger: .at(""), calendar: [], cron: [], zone: ""),
      at: Timestamp(milliseconds: 0)
    ),
    [
      .required("name", \.schedule.name, .text),
      .required("trigger", \.schedule.trigger, .trigger),
      .required("calendar", \.schedule.calendar, .calendar),
      .required("cron", \.schedule.cron, .wholeList(of: .cron)),
      .required("zone", \.schedule.zone, .text.accepting(TimeZoneName.isValid)),
      .required("missed", \.schedule.missed, .word),
      .required("onOverlap", \.schedule.overlap, .word),
      .required("jitterMs", \.schedule.jitter, .milliseconds.accepting { $0 >= .zero }),
      .required("backend", \.schedule.backend, .word),
      .required("enabled", \.schedule.isEnabled, .bool),
      .flag("pauseOnFailure", \.schedule.pausesOnFailure),
      .flag("pausedWithAll", \.schedule.isPausedWithAll),
      .required("settledUntil", \.settledUntil, .milliseconds),
      .strict("enabledAt", \.enabledAt, .milliseconds),
      .flag("seriesReported", \.isSeriesReported),
      .required("runs", \.runs, .wholeList(of: .object(ScheduleRun.shape))),
    ]
  )

  /// The record as its file holds it.
  package var json: JSONValue { Self.shape.json(of: self) }

  /// Reads a record; `nil` for anything that this program does not write.
  package init?(json: JSONValue) {
    guard var record = Self.shape.record(from: json) else { return nil }
    record.runs = record.runs.suffix(Self.limit)
    self = record
  }
}

extension ScheduleRun {
  static let shape = RecordShape(
    ScheduleRun(slot: nil, startedAt: Timestamp(milliseconds: 0), state: ""),
    [
      .optional("slot", \.slot, .milliseconds),
      .required("startedAt", \.startedAt, .milliseconds),
      .optional("endedAt", \.endedAt, .milliseconds),
      .custom("state") {
        .string($0.state)
      } read: { state, members, run in
        guard let state = state?.string else { return false }
        // Versions before 2026-12 had the same word for the outbox, where a prompt has no session.
        let isInOutbox = state == "queued" && members["sessionId"].wireID == nil
        run.state = isInOutbox ? QueuedPrompt.waitingWord : state.safeLine(limit: 40)
        return true
      },
      .optional("sessionId", \.sessionID, .wireID),
      .optional("workspace", \.workspace, .workspace),
      .optional("status", \.status, .integer),
      .optional("error", \.error, .line(400)),
      .optional("cost", \.cost, .dollars),
    ]
  )
}

extension RecordMember<ScheduleRecord> {
  /// A member that files of earlier versions do not have, and that is false then.
  fileprivate static func flag(
    _ name: String,
    _ path: any WritableKeyPath<ScheduleRecord, Bool> & Sendable
  ) -> RecordMember<ScheduleRecord> {
    .custom(name) {
      .bool($0[keyPath: path])
    } read: { value, _, record in
      guard let value, value != .null else { return true }
      guard let flag = value.bool else { return false }
      record[keyPath: path] = flag
      return true
    }
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

extension JSONField<ScheduleTrigger> {
  fileprivate static var trigger: JSONField {
    JSONField {
      ["kind": .string($0.kind), "text": .string($0.text)]
    } decode: { json in
      guard let kind = json["kind"].string, let text = json["text"].string else { return nil }
      return ScheduleTrigger(kind: kind, text: text)
    }
  }
}

extension String {
  /// Whether it has only characters of calendar expressions, and at most 500 bytes.
  fileprivate var isCalendar: Bool {
    (1...500).contains(utf8.count)
      && utf8.allSatisfy { byte in
        switch byte {
        case 48...57, 65...90, 97...122: true
        default: " *,-.:/~".utf8.contains(byte)
        }
      }
  }
}
