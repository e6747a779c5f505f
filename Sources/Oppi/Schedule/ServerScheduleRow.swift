// SPDX-License-Identifier: MIT

import OppiModel
import OppiRendering
import OppiSystem

/// The texts of a server's schedule as rows, next to those of ``ScheduleRow``, and its JSON.
struct ServerScheduleRow {
  let row: ServerSchedules.Row

  private var schedule: ServerSchedule { row.schedule }

  /// The name for 'oppi schedule run'.
  var name: String { "\(row.server.name)/\(schedule.name)" }

  private var triggerText: String {
    switch schedule.trigger {
    case .at(let moment): moment.iso8601
    case .every(let interval): ElapsedTime.text(interval)
    case .cron(let text): text
    case .unknown: ""
    }
  }

  var trigger: String { "\(schedule.trigger.kind) \(triggerText)" }

  var nextText: String {
    switch row.next {
    case .at(let elapse): elapse.zoneText
    case .never: schedule.status == .paused ? "paused" : "never"
    case .unknown: "unknown"
    }
  }

  var elapse: CalendarElapses.Elapse? {
    if case .at(let elapse) = row.next { elapse } else { nil }
  }

  var cells: [StyledText] {
    [
      StyledText(name, .name), StyledText(trigger), StyledText(schedule.zone, .dim),
      StyledText(nextText), StyledText("run by \(row.server.name)", .dim),
    ]
  }

  /// For a pipe; the result of the last run is not known here.
  var pipeCells: [String] {
    [
      name, trigger, schedule.zone, schedule.status == .active ? "enabled" : "disabled",
      elapse?.moment.iso8601 ?? "", "", "", schedule.sessionID ?? "", "",
    ]
  }

  static let shape: JSONShape<ServerScheduleRow> = [
    .text("id", "Its id") { $0.schedule.id },
    .text("name", "Its name") { $0.schedule.name },
    .member("trigger", "cron, every or at, with its text: an object of kind and text") {
      ["kind": .string($0.schedule.trigger.kind), "text": .string($0.triggerText)]
    },
    .text("zone", "Its time zone") { $0.schedule.zone },
    .text("state", "active or paused") { $0.schedule.status.word },
    .list("next", "The next run; empty if none or unknown", ScheduleRow.elapseShape) {
      $0.elapse.map { [$0] } ?? []
    },
    .member("nextUnknown", "Whether the next run cannot be determined here") {
      .bool($0.row.next == .unknown)
    },
    .text("workspaceId", "The workspace's id on the server, or null") { $0.schedule.workspaceID },
    .text("sessionId", "The session that gets the prompt, or null if each run has its own") {
      $0.schedule.sessionID
    },
    .server { $0.row.server },
  ]
}
