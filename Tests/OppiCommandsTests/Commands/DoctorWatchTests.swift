// SPDX-License-Identifier: MIT

import OppiIntents
import OppiModel
import OppiSystem
import Simulation
import Testing

@testable import OppiCommands

/// What `oppi doctor` says of a watch that runs, by the age of its snapshot.
@Suite struct DoctorWatchTests {
  /// What doctor says where somebody holds the lock of watch and the snapshot is of an age.
  private static func findings(
    ofWatchIn world: World,
    writtenAgo age: Duration?,
    sessionsSeenAgo seen: Duration? = nil
  ) async throws -> [String] {
    let (files, paths) = (world.program().files, XDGPaths(environment: [:], home: World.home))
    func kept(_ age: Duration) -> FleetStatus {
      // No time of the world passes before doctor looks.
      FleetStatus(at: world.loop.timestamp().moved(by: .zero - age), servers: [])
    }
    if let age { try StatusFile(paths: paths, files: files).store(kept(age)) }
    if let seen { try StatusFile.lastSeen(paths: paths, files: files).store(kept(seen)) }
    return try await files.withLock(on: paths.watchFile) { () async throws(FileError) in
      await world.oppi("doctor", "--json").findings(of: "watch")
    }
  }

  @Test(
    "a watch runs for doctor as long as others read its snapshot: up to 90 s, before and behind",
    arguments: [0, 89_999, 90_000, -90_000]
  )
  func running(milliseconds: Int) {
    inWorld { world, _ in
      let age = Duration.milliseconds(milliseconds)
      let found = try await Self.findings(ofWatchIn: world, writtenAgo: age)
      #expect(found == ["ok: oppi watch is running"])
    }
  }

  @Test(
    "a watch whose snapshot is older than that is stuck, and how long it has been is said",
    arguments: [(90_001, "for 1 min"), (3_600_000, "for 1 h")]
  )
  func stuck(milliseconds: Int, words: String) {
    inWorld { world, _ in
      let age = Duration.milliseconds(milliseconds)
      let found = try await Self.findings(ofWatchIn: world, writtenAgo: age)
      #expect(
        found == ["warning: oppi watch is running, but has not written its snapshot \(words)"]
      )
    }
  }

  @Test("a snapshot from the future says that the clock was set back, and no age")
  func future() {
    inWorld { world, _ in
      let found = try await Self.findings(ofWatchIn: world, writtenAgo: .seconds(-3600))
      let words = "since the clock was set back"
      #expect(
        found == ["warning: oppi watch is running, but has not written its snapshot \(words)"]
      )
    }
  }

  @Test("what a command wrote down of the sessions says nothing of watch")
  func otherFile() {
    inWorld { world, _ in
      let stuck = try await Self.findings(
        ofWatchIn: world,
        writtenAgo: .seconds(600),
        sessionsSeenAgo: .zero
      )
      #expect(
        stuck == ["warning: oppi watch is running, but has not written its snapshot for 10 min"]
      )
    }
    inWorld { world, _ in
      let starting = try await Self.findings(
        ofWatchIn: world,
        writtenAgo: nil,
        sessionsSeenAgo: .zero
      )
      #expect(starting == ["ok: oppi watch is starting"])
    }
  }

  @Test("prompts wait beside a watch that is stuck as beside none")
  func outbox() {
    inWorld { world, server in
      await world.keep("hello", for: server)
      let (files, paths) = (world.program().files, XDGPaths(environment: [:], home: World.home))
      let old = FleetStatus(at: world.loop.timestamp().moved(by: .seconds(-91)), servers: [])
      try StatusFile(paths: paths, files: files).store(old)
      let outcome = try await files.withLock(on: paths.watchFile) {
        () async throws(FileError) in await world.oppi("doctor", "--json")
      }
      let found = outcome.findings(of: "outbox")
      #expect(found == ["warning: 1 queued prompt, not delivered automatically"], "\(found)")
    }
  }
}
