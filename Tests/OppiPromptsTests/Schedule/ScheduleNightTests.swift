// SPDX-License-Identifier: MIT

import Foundation
import OppiSystem
import OppiText
import OppiWire
import Simulation
import TestSupport
import Testing

@testable import OppiClient
@testable import OppiTestSupport

/// Daylight saving changes, with the systemd-analyze of this machine.
@Suite(.enabled(if: SystemdAnalyze.path != nil, "there is no systemd-analyze here"))
struct ScheduleNightTests {
  /// A schedule, a period, and the slots that run in it.
  struct Night: Sendable, CustomTestStringConvertible {
    var fields: String
    var zone = "Europe/Berlin"
    var from: String
    var until: String
    var slots: [String]

    var testDescription: String { "\(fields) in \(zone) from \(from)" }
  }

  static let nights = [
    // 2:30 does not exist on the 29th.
    Night(
      fields: "30 2 * * *",
      from: "2026-03-27T23:10:00Z",
      until: "2026-03-30T12:00:00Z",
      slots: ["2026-03-28T01:30:00Z", "2026-03-30T00:30:00Z"]
    ),
    // 2:30 occurs twice on the 25th.
    Night(
      fields: "30 2 * * *",
      from: "2026-10-23T23:10:00Z",
      until: "2026-10-26T12:00:00Z",
      slots: ["2026-10-24T00:30:00Z", "2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"]
    ),
    Night(
      fields: "0 * * * *",
      from: "2026-03-28T23:10:00Z",
      until: "2026-03-29T03:10:00Z",
      slots: [
        "2026-03-29T00:00:00Z", "2026-03-29T01:00:00Z", "2026-03-29T02:00:00Z",
        "2026-03-29T03:00:00Z",
      ]
    ),
    Night(
      fields: "30 1 * * *",
      zone: "America/New_York",
      from: "2026-10-31T12:10:00Z",
      until: "2026-11-02T12:00:00Z",
      slots: ["2026-11-01T05:30:00Z", "2026-11-02T06:30:00Z"]
    ),
  ]

  @Test("a slot runs once, however often it is triggered, and is recorded", arguments: nights)
  func night(_ night: Night) {
    inSchedule { machine in
      let world = machine.world
      world.programs.put("systemd-analyze") { SystemdAnalyze.run($0) }
      let start = try #require(Timestamp(iso8601: night.from))
      let end = try #require(Timestamp(iso8601: night.until))
      world.kernel.jumpDay(by: world.loop.timestamp().duration(to: start))
      let added = await machine.oppi(
        "schedule",
        "add",
        "standup",
        "--cron",
        night.fields,
        "--tz",
        night.zone,
        "--missed",
        "once"
      )
      try #require(added.status == 0, "\(added)")
      // Far more often than a timer.
      while world.loop.timestamp() < end {
        let fired = await machine.fire()
        #expect(fired.status == 0, "\(fired)")
        world.kernel.jumpDay(by: .seconds(600))
      }
      let runs = await machine.row()["runs"].array ?? []
      #expect(runs.map { $0["slot"].string ?? "" } == night.slots)
      #expect(runs.allSatisfy { $0["state"] == "accepted" })
      #expect(machine.server.heard.count == night.slots.count)
    }
  }

  @Test("after a year without runs, the latest missed slots are recorded")
  func year() {
    inSchedule { machine in
      let world = machine.world
      world.programs.put("systemd-analyze") { SystemdAnalyze.run($0) }
      _ = await machine.oppi("schedule", "add", "standup", "--every", "1m", "--missed", "once")
      world.kernel.jumpDay(by: .seconds(366 * 86_400))
      #expect(await machine.oppi("schedule").output.contains("\tmissed\t"))
      #expect(await machine.fire().status == 0)
      #expect(machine.server.heard == ["hello"])
      let states = await machine.states()
      #expect(states.last == "accepted" && states.dropLast().allSatisfy { $0 == "missed" })
      #expect((30...50).contains(states.count), "\(states.count)")
    }
  }
}

/// The real `systemd-analyze`.
private enum SystemdAnalyze {
  static let path = ["/usr/bin", "/bin"].map { "\($0)/systemd-analyze" }
    .first { FileManager.default.isExecutableFile(atPath: $0) }

  /// Accepts every unit, and runs the program for anything else.
  static func run(_ program: ChildProcess) -> ChildProcess.Outcome {
    if program.arguments.contains("verify") { return .init(status: 0) }
    let process = Process()
    process.executableURL = URL(filePath: path ?? "/")
    process.arguments = Array(program.arguments.dropFirst())
    process.environment = program.environment
    let (output, errors) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = errors
    guard (try? process.runInTime()) != nil else { return .init(status: 127) }
    let bytes = Array(output.fileHandleForReading.readDataToEndOfFile())
    let words = Array(errors.fileHandleForReading.readDataToEndOfFile())
    process.waitUntilExit()
    return .init(output: bytes, errors: words, status: process.terminationStatus)
  }
}

extension Timestamp {
  fileprivate func duration(to other: Timestamp) -> Duration {
    .milliseconds(other.milliseconds - milliseconds)
  }
}
