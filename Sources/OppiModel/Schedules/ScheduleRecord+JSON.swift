// SPDX-License-Identifier: MIT

extension ScheduleRecord {
  /// The record as its file holds it.
  package var json: JSONValue {
    var members = schedule.json
    members["settledUntil"] = .integer(Int64(settledUntil.milliseconds))
    members["runs"] = .array(runs.map(\.json))
    return .object(members)
  }

  /// Reads a record; `nil` for anything that this program does not write.
  package init?(json: JSONValue) {
    guard let schedule = Schedule(json: json), let settled = json["settledUntil"].timestamp,
      let runs = json["runs"].array
    else { return nil }
    let read = runs.compactMap { ScheduleRun(json: $0) }
    guard read.count == runs.count else { return nil }
    self.init(schedule, settledUntil: settled, runs: read)
  }
}

extension Schedule {
  fileprivate var json: JSONObject {
    [
      "name": .string(name),
      "trigger": ["kind": .string(trigger.kind), "text": .string(trigger.text)],
      "calendar": .array(calendar.map(JSONValue.string)),
      "cron": .array(cron.map(JSONValue.string)),
      "zone": .string(zone),
      "missed": .string(missed.rawValue),
      "onOverlap": .string(overlap.rawValue),
      "jitterMs": .integer(Int64(jitter.milliseconds)),
      "backend": .string(backend.rawValue),
      "enabled": .bool(isEnabled),
    ]
  }

  fileprivate init?(json: JSONValue) {
    let trigger = json["trigger"]
    guard let name = json["name"].string, let kind = trigger["kind"].string,
      let text = trigger["text"].string, let trigger = ScheduleTrigger(kind: kind, text: text),
      let calendar = json["calendar"].texts, !calendar.isEmpty, let cron = json["cron"].texts,
      let zone = json["zone"].string, let jitter = json["jitterMs"].int, jitter >= 0,
      let missed = json["missed"].string.flatMap({ Missed(rawValue: $0) }),
      let overlap = json["onOverlap"].string.flatMap({ Overlap(rawValue: $0) }),
      let backend = json["backend"].string.flatMap({ Backend(rawValue: $0) }),
      let isEnabled = json["enabled"].bool
    else { return nil }
    // This goes into a unit or a crontab.
    guard calendar.allSatisfy(\.isCalendar), cron.allSatisfy(\.isCron), TimeZoneName.isValid(zone)
    else { return nil }
    self.init(name: name, trigger: trigger, calendar: calendar, cron: cron, zone: zone)
    self.missed = missed
    self.overlap = overlap
    self.jitter = .milliseconds(jitter)
    self.backend = backend
    self.isEnabled = isEnabled
  }
}

extension ScheduleRun {
  fileprivate var json: JSONValue {
    .object([
      "slot": slot.map { .integer(Int64($0.milliseconds)) },
      "startedAt": .integer(Int64(startedAt.milliseconds)),
      "endedAt": endedAt.map { .integer(Int64($0.milliseconds)) },
      "state": .string(state),
      "sessionId": sessionID.map(JSONValue.string),
      "workspace": workspace.map { .string($0.description) },
      "status": status.map { .integer(Int64($0)) },
      "error": error.map(JSONValue.string),
    ])
  }

  fileprivate init?(json: JSONValue) {
    guard let startedAt = json["startedAt"].timestamp, let state = json["state"].string else {
      return nil
    }
    let sessionID = json["sessionId"].string.flatMap { WireID.isValid($0) ? $0 : nil }
    // Versions before 2026-12 had the same word for the outbox, where a prompt has no session.
    let isInOutbox = state == "queued" && sessionID == nil
    self.init(
      slot: json["slot"].timestamp,
      startedAt: startedAt,
      state: isInOutbox ? QueuedPrompt.waitingWord : state.safeLine(limit: 40)
    )
    endedAt = json["endedAt"].timestamp
    self.sessionID = sessionID
    workspace = json["workspace"].string.flatMap { WorkspaceReference($0) }
    status = json["status"].int
    error = json["error"].string?.safeLine(limit: 400)
  }
}

extension JSONValue {
  fileprivate var timestamp: Timestamp? { int.map { Timestamp(milliseconds: $0) } }

  /// The elements of an array of strings; `nil` for anything else.
  fileprivate var texts: [String]? {
    guard let array else { return nil }
    let texts = array.compactMap(\.string)
    return texts.count == array.count ? texts : nil
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

  /// Whether it is a cron expression in the form that this program writes.
  fileprivate var isCron: Bool { (try? CronExpression(self))?.cronText == self }
}
