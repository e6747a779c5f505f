// SPDX-License-Identifier: MIT

import OppiModel
import OppiSystem
import OppiText
import OppiWire
import Simulation
import Testing

@testable import OppiClient
@testable import OppiTestSupport

/// The findings of `oppi doctor` about a watch that holds its lock.
@Suite struct DoctorWatchTests {
  private static let running = "ok: oppi watch is running"
  private static let stuck =
    "warning: oppi watch is running, but has not written its snapshot "

  @Test(
    "by the age of its snapshot, in milliseconds, a watch is running, stuck or starting",
    arguments: [
      (0, nil, running), (89_999, nil, running), (90_000, nil, running), (-90_000, nil, running),
      (90_001, nil, stuck + "for 1 min"), (3_600_000, nil, stuck + "for 1 h"),
      (-3_600_000, nil, stuck + "since the clock was set back"),
      // The sessions file of other commands does not count as a snapshot of watch.
      (600_000, 0, stuck + "for 10 min"), (nil, 0, "ok: oppi watch is starting"),
    ] as [(Int?, Int?, String)]
  )
  func findings(age: Int?, sessionsAge: Int?, finding: String) {
    inWorld { world, _ in
      let (files, paths) = (world.program().files, XDGPaths(environment: [:], home: World.home))
      // No virtual time passes before doctor reads the snapshot.
      let ages = [(paths.statusFile, age), (paths.sessionsFile, sessionsAge)]
      for case (let path, let age?) in ages {
        let moment = world.loop.timestamp().moved(by: .milliseconds(-age))
        try RecordFile(path, in: files).save(FleetStatus(at: moment, servers: []))
      }
      let found = try await files.withLock(on: paths.watchFile) { () async throws(FileError) in
        await world.oppi("doctor", "--json").findings(of: "watch")
      }
      #expect(found == [finding])
    }
  }

  @Test("a stuck watch does not count as delivery of queued prompts")
  func outbox() {
    inWorld { world, server in
      await world.keep("hello", for: server)
      let (files, paths) = (world.program().files, XDGPaths(environment: [:], home: World.home))
      let old = FleetStatus(at: world.loop.timestamp().moved(by: .seconds(-91)), servers: [])
      try RecordFile(paths.statusFile, in: files).save(old)
      let outcome = try await files.withLock(on: paths.watchFile) {
        () async throws(FileError) in await world.oppi("doctor", "--json")
      }
      let found = outcome.findings(of: "outbox")
      #expect(found == ["warning: 1 queued prompt, not delivered automatically"], "\(found)")
    }
  }
}
