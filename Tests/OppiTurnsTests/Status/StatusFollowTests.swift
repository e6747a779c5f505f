// SPDX-License-Identifier: MIT

import FakeServer
import OppiModel
import OppiSystem
import OppiText
import OppiWire
import Simulation
import TestSupport
import Testing

@testable import OppiClient
@testable import OppiTestSupport
@testable import OppiTurns

@Suite struct StatusFollowTests {
  @Test("a change is shown within a second, the elapsed time every 15 s, without server requests")
  func snapshot() {
    inWorld { world, server in
      let before = server.requests.count
      let work = TurnSummary(startedAt: world.loop.timestamp())
      let following = world.following("--format", "polybar")
      // The snapshot is rewritten without a change.
      for _ in 0..<4 {
        world.keep([.sample("s", .running, turn: work)], of: server)
        try await world.pass(.seconds(10))
      }
      world.keep([.sample("s", .waiting, approvals: [.sample("r")])], of: server)
      try await world.pass(.seconds(2))
      let outcome = await following.end()
      #expect(
        outcome.lines == [
          "▶ running 0:00", "▶ running 0:15", "▶ running 0:30", "%{F#b96a00}! approval%{F-}",
        ],
        "\(outcome)"
      )
      #expect(outcome.status == 130 && outcome.errors.isEmpty, "\(outcome)")
      #expect(server.requests.count == before)
    }
  }

  @Test("without a snapshot the servers are queried every 15 s")
  func asks() {
    inWorld { world, server in
      let following = world.following("--json")
      try await world.pass(.seconds(40))
      #expect(server.requests.count { $0.path.hasPrefix("/sessions/recent") } == 3)
      _ = try await world.session(asking: "silent")
      try await world.pass(.seconds(15))
      await server.end(.inOrder)
      try await world.pass(.seconds(400))
      let lines = await following.end().jsonLines
      #expect(lines.allSatisfy { $0["type"] == "status" && $0["at"].string != nil })
      let states = lines.compactMap(\.["status"].string)
      let changes = states.enumerated().filter {
        $0.offset == 0 || states[$0.offset - 1] != $0.element
      }
      #expect(changes.map(\.element) == ["idle", "processing", "offline"], "\(states)")
      #expect(lines.count > 400 / 15 && lines.count < 50, "\(lines.count)")
    }
  }

  @Test("an outdated snapshot is replaced by the state of the servers")
  func lost() {
    inWorld { world, server in
      world.keep([.sample("s", .running)], of: server)
      let following = world.following()
      try await world.pass(.seconds(100))
      let lines = await following.end().lines
      #expect(lines.first == "▶ running" && lines.last == "● idle", "\(lines)")
    }
  }

  @Test("a bar shows a pairing and a damaged file without a restart")
  func trouble() {
    inWorld(isPaired: false) { world, server in
      let following = world.following("--format", "tmux")
      try await world.pass(.seconds(2))
      await world.oppi("pair", server.inviteText() ?? "", exits: 0)
      try await world.pass(.seconds(20))
      world.damageServers()
      try await world.pass(.seconds(40))
      let outcome = await following.end()
      let lines = outcome.lines.enumerated().filter { index, line in
        index == 0 || outcome.lines[index - 1] != line
      }
      #expect(
        lines.map(\.element) == [
          "+ not paired", "● idle",
          "#[fg=white,bg=red]✗ failed#[default]",
        ],
        "\(outcome)"
      )
      // The error is reported once, however often the file is read.
      #expect(outcome.errorLines.count { $0.hasPrefix("oppi: ") } == 1, "\(outcome)")
    }
  }

  @Test("a damaged file is reported again if it was readable meanwhile")
  func troubleAgain() {
    inWorld { world, server in
      let path = "\(World.home)/.config/oppi/servers.json"
      let list = try #require(world.disk.contents(of: path))
      let following = world.following("--format", "tmux")
      for _ in 1...2 {
        world.damageServers()
        try await world.pass(.seconds(20))
        world.disk.put(list, at: path)
        try await world.pass(.seconds(20))
      }
      let outcome = await following.end()
      #expect(outcome.errorLines.count { $0.hasPrefix("oppi: ") } == 2, "\(outcome)")
    }
  }

  @Test("formats of bars that run the program repeatedly cannot be followed")
  func refused() {
    inWorld { world, _ in
      for format in StatusFormat.all where !format.isStream {
        let outcome = await world.oppi("status", "--follow", "--format", format.name)
        #expect(outcome.status == 64 && outcome.errors.contains(format.name), "\(outcome)")
      }
    }
  }
}

extension World {
  fileprivate func following(_ words: String...) -> RunningProgram {
    run(["status", "--follow"] + words)
  }
}

@Suite("StatusFile")
struct StatusFileTests {
  private let scratch: Scratch
  private let paths: XDGPaths
  private let file: RecordFile<FleetStatus>

  init() throws {
    scratch = try Scratch()
    paths = XDGPaths(environment: ["XDG_RUNTIME_DIR": scratch.folder], home: "/nowhere")
    file = RecordFile(paths.statusFile, in: try .forTests(), .passing)
  }

  @Test("the last snapshot is loaded, and the file has mode 600 and no leftovers")
  func roundTrip() throws {
    #expect(file.usable() == nil)
    for seed in 1...3 {
      var maker = FleetMaker(seed: UInt64(seed))
      let fleet = maker.fleet()
      try file.save(fleet)
      #expect(file.usable() == fleet)
    }
    #expect(file.path == "\(scratch.folder)/oppi/status.json")
    #expect(scratch.names(in: "oppi") == ["status.json"])
    #expect(scratch.mode("oppi") == 0o700 && scratch.mode("oppi/status.json") == 0o600)
  }

  @Test(
    "an unusable file counts as missing, and is replaced",
    arguments: ["", "{", "[]", "{}", #"{"version":1,"at":"x","servers":[]}"#]
  )
  func useless(text: String) throws {
    try scratch.write(text, to: "oppi/status.json")
    #expect(file.usable() == nil)
    let fleet = FleetStatus(at: .noon, servers: [])
    try file.save(fleet)
    #expect(file.usable() == fleet)
  }

  @Test("a file of a later version is not used and not replaced")
  func newer() throws {
    let text = #"{"version":2,"at":1,"servers":[]}"#
    try scratch.write(text, to: "oppi/status.json")
    #expect(file.usable() == nil)
    #expect(throws: FileError.newerVersion(path: file.path, version: 2)) {
      try file.save(FleetStatus(at: .noon, servers: []))
    }
    #expect(scratch.read("oppi/status.json") == text)
  }

  @Test("a file that others can write to is not used")
  func foreign() throws {
    let text = FleetStatus(at: .noon, servers: []).json.text()
    try scratch.write(text, to: "oppi/status.json", mode: 0o666)
    #expect(file.usable() == nil)
  }
}
