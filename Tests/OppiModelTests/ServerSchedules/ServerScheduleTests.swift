// SPDX-License-Identifier: MIT

import OppiModel
import OppiText
import Testing

@Suite("ServerSchedule")
struct ServerScheduleTests {
  private static func schedule(
    _ trigger: JSONValue,
    status: String = "active",
    createdAt: JSONValue? = 1000
  ) throws -> ServerSchedule {
    try #require(
      ServerSchedule(
        json: .object([
          "id": "sch_1", "name": "nightly", "status": .string(status), "trigger": trigger,
          "action": ["type": "new_session", "workspaceId": "w1", "promptChars": 20],
          "createdAt": createdAt,
        ])
      )
    )
  }

  private static func at(_ milliseconds: Int) -> Timestamp { Timestamp(milliseconds: milliseconds) }

  private static func cron(_ text: String, zone: JSONValue = "Europe/Berlin") -> JSONValue {
    ["type": "cron", "expression": .string(text), "timeZone": zone]
  }

  @Test("a summary is read with its trigger and its target")
  func reading() throws {
    let schedule = try Self.schedule(Self.cron("0 9 * * 1-5"))
    #expect(schedule.id == "sch_1" && schedule.name == "nightly" && schedule.isActive)
    #expect(schedule.trigger == .cron("0 9 * * 1-5") && schedule.zone == "Europe/Berlin")
    #expect(schedule.workspaceID == "w1" && schedule.sessionID == nil)
    #expect(ServerSchedule(json: ["id": "a/b"]) == nil)
    let bare = try #require(ServerSchedule(json: ["id": "x"]))
    #expect(bare.name == "x" && bare.trigger == .unknown("") && bare.status == "")
  }

  @Test("a single run is due until its moment has passed")
  func once() throws {
    let schedule = try Self.schedule(["type": "at", "at": 5000, "timeZone": "UTC"])
    #expect(schedule.next(at: Self.at(4999)) == .at(Self.at(5000)))
    #expect(schedule.next(at: Self.at(5000)) == .never)
  }

  @Test(
    "an interval counts from the creation",
    arguments: [
      (0, 61_000), (1000, 61_000), (60_999, 61_000), (61_000, 121_000), (121_500, 181_000),
    ]
  )
  func interval(now: Int, next: Int) throws {
    let schedule = try Self.schedule([
      "type": "every", "intervalMs": 60_000, "timeZone": "UTC",
    ])
    #expect(schedule.next(at: Self.at(now)) == .at(Self.at(next)))
  }

  @Test("an interval without a creation time, or out of range, is unknown")
  func unknownInterval() throws {
    let every: JSONValue = ["type": "every", "intervalMs": 60_000]
    #expect(try Self.schedule(every, createdAt: nil).next(at: Self.at(0)) == .unknown)
    let none: JSONValue = ["type": "every", "intervalMs": 0]
    #expect(try Self.schedule(none).trigger == .unknown("every"))
    let huge: JSONValue = ["type": "every", "intervalMs": .integer(1 << 53 - 1)]
    _ = try Self.schedule(huge).next(at: Self.at(.max))
  }

  @Test("a cron expression becomes a calendar; seconds are ignored, as on the server")
  func calendar() throws {
    let expected = ServerSchedule.Next.calendar(["*-*-* 09:00:00"])
    #expect(try Self.schedule(Self.cron("0 9 * * *")).next(at: Self.at(0)) == expected)
    #expect(try Self.schedule(Self.cron("30 0 9 * * *")).next(at: Self.at(0)) == expected)
  }

  @Test(
    "an expression that the server may read differently is unknown",
    arguments: [
      "0 9 * * mon", "@daily", "0 9 *,1 * 1", "0 9 * *", "0 9 5/2 * *", "x", "0 25 * * *",
    ]
  )
  func foreign(text: String) throws {
    #expect(try Self.schedule(Self.cron(text)).next(at: Self.at(0)) == .unknown)
  }

  @Test("an expression in an invalid zone is unknown")
  func zone() throws {
    let schedule = try Self.schedule(Self.cron("0 9 * * *", zone: "../x y"))
    #expect(schedule.next(at: Self.at(0)) == .unknown)
  }

  @Test("a paused schedule has no next run, and an unknown state an unknown one")
  func paused() throws {
    let trigger: JSONValue = ["type": "at", "at": 5000]
    #expect(try Self.schedule(trigger, status: "paused").next(at: Self.at(0)) == .never)
    #expect(try Self.schedule(trigger, status: "archived").next(at: Self.at(0)) == .never)
    #expect(try Self.schedule(trigger, status: "odd").next(at: Self.at(0)) == .unknown)
  }
}
