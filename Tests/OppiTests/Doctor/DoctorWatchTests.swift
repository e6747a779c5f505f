// SPDX-License-Identifier: MIT

import OppiModel
import OppiSystem
import Simulation
import Testing

@testable import Oppi

/// The findings of `oppi doctor` about a running watch, by the age of its snapshot.
@Suite struct DoctorWatchTests {
  /// The findings while the lock of watch is held and its snapshot has an age.
  private static func findings(
    ofWatchIn world: World,
    writtenAgo age: Duration?,
    sessionsSeenAgo seen: Duration? = nil
  ) async throws -> [String] {
    let (files, paths) = (world.program().files, XDGPaths(environment: [:], home: World.home))
    func kept(_ age: Duration) -> FleetStatus {
      // No virtual time passes before doctor reads the snapshot.
      FleetStatus(at: world.loop.timestamp().moved(by: .zero - age), servers: [])
    }
    if let age { try RecordFile(paths.statusFile, in: files).save(kept(age)) }
    if let seen { try RecordFile(paths.sessionsFile, in: files).save(kept(seen)) }
    return try await files.withLock(on: paths.watchFile) { () async throws(FileError) in
      await world.oppi("doctor", "--json").findings(of: "watch")
    }
  }

  @Test(
    "doctor reports a running watch if its snapshot is at most 90 s from the present",
    arguments: [0, 89_999, 90_000, -90_000]
  )
  func running(milliseconds: Int) {
    inWorld(.multiplexed) { world, _ in
      let age = Duration.milliseconds(milliseconds)
      let found = try await Self.findings(ofWatchIn: world, writtenAgo: age)
      #expect(found == ["ok: oppi watch is running"])
    }
  }

  @Test(
    "doctor reports an older snapshot as a stuck watch, with its age",
    arguments: [(90_001, "for 1 min"), (3_600_000, "for 1 h")]
  )
  func stuck(milliseconds: Int, words: String) {
    inWorld(.multiplexed) { world, _ in
      let age = Duration.milliseconds(milliseconds)
      let found = try await Self.findings(ofWatchIn: world, writtenAgo: age)
      #expect(
        found == ["warning: oppi watch is running, but has not written its snapshot \(words)"]
      )
    }
  }

  @Test("doctor reports a snapshot from the future as a clock set back, without an age")
  func future() {
    inWorld(.multiplexed) { world, _ in
      let found = try await Self.findings(ofWatchIn: world, writtenAgo: .seconds(-3600))
      let words = "since the clock was set back"
      #expect(
        found == ["warning: oppi watch is running, but has not written its snapshot \(words)"]
      )
    }
  }

  @Test("the sessions file of other commands does not count as a snapshot of watch")
  func otherFile() {
    inWorld(.multiplexed) { world, _ in
      let stuck = try await Self.findings(
        ofWatchIn: world,
        writtenAgo: .seconds(600),
        sessionsSeenAgo: .zero
      )
      #expect(
        stuck == ["warning: oppi watch is running, but has not written its snapshot for 10 min"]
      )
    }
    inWorld(.multiplexed) { world, _ in
      let starting = try await Self.findings(
        ofWatchIn: world,
        writtenAgo: nil,
        sessionsSeenAgo: .zero
      )
      #expect(starting == ["ok: oppi watch is starting"])
    }
  }

  @Test("a stuck watch does not count as delivery of queued prompts")
  func outbox() {
    inWorld(.multiplexed) { world, server in
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
