// SPDX-License-Identifier: MIT

import OppiText
import Simulation
import Synchronization
import Testing

@testable import OppiTestSupport

/// `oppi setup` beside foreign files, on a full disk, and killed.
@Suite struct SetupFailureTests {
  @Test("a foreign or changed file is not modified, and is named")
  func leftAlone() {
    inWorld { world, _ in
      world.disk.put(Array("mine\n".utf8), at: SetupHome.bash)
      let first = await world.setup("--json")
      let files = first.json["files"].array ?? []
      #expect(first.status == 0, "\(first)")
      #expect(files.first?["state"] == "foreign" && files.last?["state"] == "written", "\(first)")
      world.disk.put(Array("changed\n".utf8), at: SetupHome.fish)
      let second = await world.setup()
      #expect(second.fileStates.prefix(3) == ["not modified", "unchanged", "not modified"])
      #expect(
        second.errors.contains("warning: \(SetupHome.bash) was not written by setup"),
        "\(second)"
      )
      #expect(second.errors.contains("\(SetupHome.fish) was changed after setup"), "\(second)")
      let removed = await world.setup("--remove")
      #expect(removed.status == 0, "\(removed)")
      #expect(removed.errors.contains("\(SetupHome.fish) was changed"), "\(removed)")
      #expect(world.disk.contents(of: SetupHome.bash) == Array("mine\n".utf8))
      #expect(world.disk.contents(of: SetupHome.fish) == Array("changed\n".utf8))
      #expect(world.disk.contents(of: SetupHome.unit) == nil)
      #expect(world.disk.contents(of: SetupHome.record) == nil)
    }
  }

  @Test("setup fails if all files exist and are foreign")
  func allTaken() {
    inWorld { world, _ in
      let trial = await world.setup("-n")
      for line in trial.lines {
        world.disk.put([1], at: String(line.prefix { $0 != "\t" }))
      }
      let outcome = await world.setup()
      #expect(outcome.status == 73 && Set(outcome.fileStates) == ["not modified"], "\(outcome)")
      #expect(outcome.errors.contains("nothing was installed"), "\(outcome)")
    }
  }

  @Test("a full disk is status 73 or 74, and no file is left")
  func failure() {
    inWorld(isPaired: false) { world, _ in
      var faults = Faults.none
      faults.disk = 1
      world.set(faults)
      let outcome = await world.setup()
      #expect(outcome.status == 73 || outcome.status == 74, "\(outcome)")
      #expect(world.disk.paths.isEmpty)
    }
  }

  @Test(
    "--remove removes everything that a killed run left, wherever it was killed",
    arguments: [["setup"], ["setup", "--remove"]]
  )
  func killed(words: [String]) {
    // Shared folders; they stay if a run was killed just before or after it wrote its record.
    let shared = [World.home, "\(World.home)/.local", "\(World.home)/.local/state"]
    /// Kills a run after some system calls; returns how many it made if it ended before that.
    func callsMade(dyingAfter calls: Int) -> Int? {
      let made = Mutex<Int?>(nil)
      inWorld(isPaired: false) { world, _ in
        let (paths, folders) = (world.disk.paths, world.disk.folders)
        if words.count > 1 { _ = await world.setup() }
        let program = world.program(dyingAfter: calls, environment: SetupHome.variables)
        if await program.run(words).status != nil {
          made.withLock { $0 = program.callsMade }
        }
        let removed = await world.setup("--remove")
        #expect(removed.status == 0, "\(calls): \(removed)")
        #expect(world.disk.paths == paths, "\(calls)")
        #expect(world.disk.folders.filter { !shared.contains($0) } == folders)
      }
      return made.withLock { $0 }
    }
    let all = callsMade(dyingAfter: .max) ?? 0
    #expect(all > 60)
    // The calls in the middle, for the manual pages, are alike.
    let early = rounds(8, of: 20)
    let alike = stride(from: 20, to: all - 6, by: early.count < 20 ? 302 : 151)
    for calls in Array(early) + Array(alike) + Array((all - 6)..<all) {
      #expect(callsMade(dyingAfter: calls) == nil, "\(calls)")
    }
    #expect(callsMade(dyingAfter: all) == all)
  }

  @Test("a killed run is completed by the next run")
  func finished() {
    inWorld { world, _ in
      for calls in stride(from: 10, to: 150, by: 35) {
        let program = world.program(dyingAfter: calls, environment: SetupHome.variables)
        _ = await program.run(["setup"])
        let second = await world.setup()
        #expect(second.status == 0, "\(calls): \(second)")
        #expect(Set(second.fileStates).isSubset(of: ["written", "unchanged"]), "\(second)")
        _ = await world.setup("--remove")
      }
    }
  }
}
