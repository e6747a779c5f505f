// SPDX-License-Identifier: MIT

import EventLoop
import OppiSystem
import Simulation
import Testing

@Suite("Test doubles of the system")
struct SeamsTests {
  private let world = World(seed: 1)

  private func run(
    _ program: ChildProcess,
    within limit: Duration = .seconds(9)
  ) throws -> ChildProcess.Outcome {
    let result = world.loop.run { [world] () -> Result<ChildProcess.Outcome, any Error> in
      do {
        let deadline = world.loop.now + limit
        return .success(try await world.programs.run(program, on: world.loop, until: deadline))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  @Test("a world that does not end fails alone", arguments: [true, false])
  func endless(isBusy: Bool) {
    let (world, value): (World, Void?) = World.play(seed: 1) { world in
      while true {
        try? await world.loop.sleep(for: isBusy ? .microseconds(1) : .seconds(86_400 * 7))
      }
    }
    #expect(value == nil)
    #expect(world.violations.contains("the world does not end"), "\(world.violations)")
  }

  private var talkative: ChildProcess {
    world.programs.put("talkative") { _ in
      .init(output: Array("out".utf8), errors: Array("error".utf8), status: 3)
    }
    return ChildProcess(arguments: ["talkative"])
  }

  @Test("a program's output is returned unless the caller discards it", arguments: [true, false])
  func output(isDiscarded: Bool) throws {
    var program = talkative
    program.output = isDiscarded ? .discarded : .collected
    #expect(try run(program).output == (isDiscarded ? [] : Array("out".utf8)))
  }

  @Test("a program's errors are returned only if the caller collects them")
  func errors() throws {
    var program = talkative
    #expect(try run(program).errors == [])
    program.errors = .discarded
    #expect(try run(program).errors == [])
    program.errors = .collected
    #expect(try run(program).errors == Array("error".utf8))
  }

  @Test("output beyond the caller's limit is an error")
  func outputLimit() throws {
    var program = talkative
    program.outputLimit = 3
    #expect(try run(program).status == 3)
    program.errors = .collected
    #expect(throws: ChildProcess.Failure.tooMuchOutput) { try run(program) }
  }

  @Test("a program that does not end is stopped at the caller's deadline")
  func deadline() throws {
    world.programs.put("endless") { [loop = world.loop] _ in
      try? await loop.sleep(for: .seconds(3600))
      return .init(status: 0)
    }
    let begin = world.loop.now
    #expect(throws: ChildProcess.Failure.timedOut) {
      try run(ChildProcess(arguments: ["endless"]), within: .seconds(5))
    }
    #expect(begin.duration(to: world.loop.now) < .seconds(6))
  }

  @Test("a missing program cannot be started and is not found on any path")
  func missing() {
    let missing = SystemError("posix_spawn", code: 2)
    #expect(throws: missing) { try world.programs.startDetached(["none"]) }
    #expect(!world.programs.has("none"))
    world.programs.put("there", printing: "")
    #expect(world.programs.has("there", path: "/usr/bin:/bin"))
    #expect(!world.programs.has("there", path: "/usr/bin"))
  }

  @Test("a file keeps its creation mode, and a file opened for reading cannot be written")
  func file() throws {
    let disk = ProgramDisk(disk: world.disk, life: Life())
    for (path, readers) in [("/home/mine", Readers.owner), ("/home/theirs", .everyone)] {
      let file = try disk.open(path, for: .creating(for: readers))
      try file.write([1])
      let reader = try disk.open(path, for: .reading)
      #expect(try reader.status().mode == readers.fileMode)
      #expect(throws: SystemError("write", code: 9)) { try reader.write([2]) }
      #expect(try reader.read(atMost: 9) == [1])
    }
  }

  @Test("a folder keeps its creation mode, and a missing folder cannot be listed")
  func folder() throws {
    let disk = ProgramDisk(disk: world.disk, life: Life())
    try disk.makeFolder("/home/theirs", for: .everyone)
    #expect(try disk.status(ofFolder: "/home/theirs").mode == 0o755)
    #expect(try disk.names(in: "/home") == ["theirs"])
    #expect(throws: SystemError("opendir", code: 2)) { try disk.names(in: "/home/none") }
  }
}
