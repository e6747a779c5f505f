// SPDX-License-Identifier: MIT

import OppiIntents
import OppiModel
import Simulation
import Synchronization
import Testing

@testable import OppiCommands

/// `oppi setup`, without other programs in `PATH`.
@Suite struct SetupTests {
  private static let variables = ["PATH": "/nowhere"]
  private static let bash = "\(World.home)/.local/share/bash-completion/completions/oppi"
  private static let fish = "\(World.home)/.config/fish/completions/oppi.fish"
  private static let unit = "\(World.home)/.config/systemd/user/oppi-watch.service"
  private static let record = "\(World.home)/.local/state/oppi/setup.json"

  private static let pages = "\(World.home)/.local/share/man"

  /// The number of files that setup writes.
  private static let count = SetupArtifact.all(
    for: SetupProgram(name: "oppi", path: "/oppi"),
    SetupTexts(for: "oppi")
  ).count

  private static func setup(_ world: World, _ words: String...) async -> Program.Outcome {
    await world.oppi(["setup"] + words, environment: variables)
  }

  private static func states(_ outcome: Program.Outcome) -> [String] {
    outcome.lines.compactMap { $0.split(separator: "\t").last.map(String.init) }
  }

  @Test("--remove removes all files and folders that setup created")
  func thereAndBack() {
    inWorld(isPaired: false) { world, _ in
      let (paths, folders) = (world.disk.paths, world.disk.folders)
      let written = await Self.setup(world)
      #expect(written.status == 0, "\(written)")
      #expect(
        Set(Self.states(written)) == ["written"] && written.lines.count == Self.count,
        "\(written)"
      )
      #expect(written.lines.allSatisfy { $0.split(separator: "\t").count == 3 }, "\(written)")
      #expect(world.disk.contents(of: Self.unit) != nil)
      let removed = await Self.setup(world, "--remove")
      #expect(removed.status == 0 && Set(Self.states(removed)) == ["removed"], "\(removed)")
      #expect(world.disk.paths == paths)
      #expect(world.disk.folders == folders)
      let again = await Self.setup(world, "--remove")
      #expect(again.status == 0 && again.output.isEmpty, "\(again)")
      #expect(again.errors.contains("nothing is installed"), "\(again)")
    }
  }

  @Test("a pipe gets the full path of each file; on a terminal the manual has a single line")
  func fullPaths() {
    inWorld(isPaired: false) { world, _ in
      let before = world.disk.paths
      let piped = await Self.setup(world)
      let written = world.disk.paths.filter { !before.contains($0) && $0 != Self.record }
      #expect(written.count == Self.count && written.contains(Self.unit))
      let told = piped.lines.map { String($0.prefix { $0 != "\t" }) }
      #expect(told.sorted() == written, "\(piped)")
      _ = await Self.setup(world, "--remove")
      let terminal = world.start(["setup"], columns: 60, environment: Self.variables)
      _ = try await terminal.end()
      let text = terminal.lines.map { $0.split(separator: " ").joined() }.joined()
      for path in written where !path.hasPrefix(Self.pages) {
        #expect(text.contains(path), "\(terminal.lines)")
      }
      let pages = written.count { $0.hasPrefix(Self.pages) }
      #expect(text.contains("writtenmanualpages(\(pages))\(Self.pages)"), "\(terminal.lines)")
      #expect(!text.contains("oppi-ask.1"), "\(terminal.lines)")
    }
  }

  @Test("a manual page that was not modified has its own line on a terminal")
  func pageLeftAlone() {
    inWorld(isPaired: false) { world, _ in
      world.disk.put(Array("mine\n".utf8), at: "\(Self.pages)/man1/oppi-ask.1")
      let terminal = world.start(["setup"], columns: 200, environment: Self.variables)
      _ = try await terminal.end()
      let lines = terminal.lines.filter { $0.contains("manual page") }
      #expect(lines.count == 2, "\(terminal.lines)")
      #expect(lines.contains { $0.hasPrefix("not modified") && $0.contains("man1/oppi-ask.1") })
      #expect(lines.contains { $0.hasPrefix("written") && $0.hasSuffix(Self.pages) })
    }
  }

  @Test("the single page of an older version is replaced, and obsolete pages are removed")
  func olderManual() {
    inWorld(isPaired: false) { world, _ in
      let (page, former) = ("\(Self.pages)/man1/oppi.1", "\(Self.pages)/man1/oppi-gone.1")
      let old = Array("old\n".utf8)
      func entry(_ path: String, _ what: String, _ collection: JSONValue?) -> JSONValue {
        .object([
          "path": .string(path), "what": .string(what), "collection": collection,
          "sha256": [.string(SHA256.hex(of: old))],
        ])
      }
      let entries: JSONValue = [
        entry(page, "manual", nil), entry(former, "manual page", "manual of oppi"),
      ]
      let record: JSONValue = .object([
        "version": 1, "folders": [], "places": .object(["user": entries]),
      ])
      world.disk.put(Array(record.text().utf8), at: Self.record)
      for path in [page, former] { world.disk.put(old, at: path) }
      let trial = await Self.setup(world, "-n")
      #expect(trial.lines.contains("\(former)\tmanual page\tto be removed"), "\(trial)")
      #expect(world.disk.contents(of: former) == old)
      let outcome = await Self.setup(world)
      #expect(outcome.lines.contains("\(page)\tmanual page\twritten"), "\(outcome)")
      #expect(outcome.lines.contains("\(former)\tmanual page\tremoved"), "\(outcome)")
      #expect(world.disk.contents(of: former) == nil && world.disk.contents(of: page) != old)
      let second = await Self.setup(world)
      #expect(Set(Self.states(second)) == ["unchanged"], "\(second)")
      #expect(second.lines.count == Self.count, "\(second)")
    }
  }

  @Test("a second run and a dry run change nothing")
  func twice() {
    inWorld { world, _ in
      let trial = await Self.setup(world, "-n")
      #expect(Set(Self.states(trial)) == ["to be written"], "\(trial)")
      #expect(world.disk.contents(of: Self.record) == nil)
      #expect(!world.disk.folders.contains { $0.hasSuffix("/man1") })
      _ = await Self.setup(world)
      let before = world.disk.paths.map { world.disk.contents(of: $0) }
      let second = await Self.setup(world)
      #expect(Set(Self.states(second)) == ["unchanged"], "\(second)")
      let removal = await Self.setup(world, "--remove", "--dry-run")
      #expect(Set(Self.states(removal)) == ["to be removed"], "\(removal)")
      #expect(world.disk.paths.map { world.disk.contents(of: $0) } == before)
    }
  }

  @Test("a foreign or changed file is not modified, and is named")
  func leftAlone() {
    inWorld { world, _ in
      world.disk.put(Array("mine\n".utf8), at: Self.bash)
      let first = await Self.setup(world, "--json")
      let files = first.json["files"].array ?? []
      #expect(first.status == 0, "\(first)")
      #expect(files.first?["state"] == "foreign" && files.last?["state"] == "written", "\(first)")
      world.disk.put(Array("changed\n".utf8), at: Self.fish)
      let second = await Self.setup(world)
      #expect(Self.states(second).prefix(3) == ["not modified", "unchanged", "not modified"])
      #expect(second.errors.contains("warning: \(Self.bash) was not written by setup"), "\(second)")
      #expect(second.errors.contains("\(Self.fish) was changed after setup"), "\(second)")
      let removed = await Self.setup(world, "--remove")
      #expect(removed.status == 0, "\(removed)")
      #expect(removed.errors.contains("\(Self.fish) was changed"), "\(removed)")
      #expect(world.disk.contents(of: Self.bash) == Array("mine\n".utf8))
      #expect(world.disk.contents(of: Self.fish) == Array("changed\n".utf8))
      #expect(world.disk.contents(of: Self.unit) == nil)
      #expect(world.disk.contents(of: Self.record) == nil)
    }
  }

  @Test("setup fails if all files exist and are foreign")
  func allTaken() {
    inWorld { world, _ in
      let trial = await Self.setup(world, "-n")
      for line in trial.lines {
        world.disk.put([1], at: String(line.prefix { $0 != "\t" }))
      }
      let outcome = await Self.setup(world)
      #expect(outcome.status == 73 && Set(Self.states(outcome)) == ["not modified"], "\(outcome)")
      #expect(outcome.errors.contains("nothing was installed"), "\(outcome)")
    }
  }

  @Test("a full disk is status 73 or 74, and no file is left")
  func failure() {
    inWorld(isPaired: false) { world, _ in
      var faults = Faults.none
      faults.disk = 1
      world.set(faults)
      let outcome = await Self.setup(world)
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
        if words.count > 1 { _ = await Self.setup(world) }
        let program = world.program(dyingAfter: calls, environment: Self.variables)
        if await program.run(words).status != nil {
          made.withLock { $0 = program.callsMade }
        }
        let removed = await Self.setup(world, "--remove")
        #expect(removed.status == 0, "\(calls): \(removed)")
        #expect(world.disk.paths == paths, "\(calls)")
        #expect(world.disk.folders.filter { !shared.contains($0) } == folders)
      }
      return made.withLock { $0 }
    }
    let all = callsMade(dyingAfter: .max) ?? 0
    #expect(all > 60)
    // The calls in the middle, for the manual pages, are alike.
    for calls in Array(0..<20) + Array(stride(from: 20, to: all - 6, by: 151))
      + Array((all - 6)..<all)
    {
      #expect(callsMade(dyingAfter: calls) == nil, "\(calls)")
    }
    #expect(callsMade(dyingAfter: all) == all)
  }

  @Test("a killed run is completed by the next run")
  func finished() {
    inWorld { world, _ in
      for calls in stride(from: 10, to: 150, by: 35) {
        let program = world.program(dyingAfter: calls, environment: Self.variables)
        _ = await program.run(["setup"])
        let second = await Self.setup(world)
        #expect(second.status == 0, "\(calls): \(second)")
        #expect(Set(Self.states(second)).isSubset(of: ["written", "unchanged"]), "\(second)")
        _ = await Self.setup(world, "--remove")
      }
    }
  }

  @Test("a newer version replaces its own files, and another prefix is separate")
  func renewed() {
    inWorld { world, _ in
      _ = await Self.setup(world)
      let text = String(decoding: world.disk.contents(of: Self.record) ?? [], as: UTF8.self)
      let old = Array("old\n".utf8)
      let json = try JSONValue(parsing: Array(text.utf8))
      let digest = json["places"]["user"].array?.first?["sha256"].array?.first?.string ?? ""
      world.disk.put(Array(text.replacing(digest, with: SHA256.hex(of: old)).utf8), at: Self.record)
      world.disk.put(old, at: Self.bash)
      let renewed = await Self.setup(world)
      #expect(Self.states(renewed).first == "written", "\(renewed)")
      let other = await Self.setup(world, "--prefix", "//home//opt/")
      #expect(other.status == 0, "\(other)")
      let unit = world.disk.contents(of: "/home/opt/lib/systemd/user/oppi-watch.service") ?? []
      #expect(String(decoding: unit, as: UTF8.self).contains("=:/home/opt/bin/oppi watch\n"))
      _ = await Self.setup(world, "--remove")
      #expect(world.disk.contents(of: Self.bash) == nil)
      let last = await Self.setup(world, "--prefix", "/home/opt", "--remove")
      #expect(last.lines.count == Self.count, "\(last)")
      #expect(!world.disk.folders.contains("/home/opt") && !world.disk.paths.contains(Self.record))
    }
  }

  @Test("with a user manager, setup prints the remaining commands for the units")
  func units() {
    inWorld { world, _ in
      let variables = Self.variables.merging(["XDG_RUNTIME_DIR": "/run/user/7"]) { $1 }
      world.disk.put([], at: "/run/user/7/systemd/private")
      func steps(_ words: String...) async -> [String] {
        let outcome = await world.oppi(["setup", "--json"] + words, environment: variables)
        return (outcome.json["next"].array ?? []).compactMap(\.string)
      }
      let enable = "systemctl --user enable --now oppi-watch.service"
      #expect(await steps() == ["systemctl --user daemon-reload && \(enable)"])
      #expect(await steps() == [enable])
      let wants = "\(World.home)/.config/systemd/user/default.target.wants/oppi-watch.service"
      world.disk.put([], at: wants)
      #expect(await steps() == [])
      let removal = "systemctl --user stop oppi-watch.service; rm '\(wants)'"
      #expect(await steps("--remove") == [removal])
      #expect(world.disk.contents(of: wants) != nil)
      #expect(
        await steps() == [
          "systemctl --user daemon-reload && systemctl --user restart oppi-watch.service"
        ]
      )
    }
  }

  @Test("files staged for a package are not recorded")
  func staged() {
    inWorld { world, _ in
      let variables = ["PATH": "/nowhere", "DESTDIR": "/home/stage"]
      let outcome = await world.oppi("setup", "--prefix", "/usr", environment: variables)
      #expect(outcome.lines.allSatisfy { $0.hasPrefix("/home/stage/usr/") }, "\(outcome)")
      #expect(world.disk.contents(of: Self.record) == nil)
      let removed = await world.oppi(
        "setup",
        "--prefix",
        "/usr",
        "--remove",
        environment: variables
      )
      #expect(removed.lines.count == Self.count, "\(removed)")
      #expect(!world.disk.paths.contains { $0.hasPrefix("/home/stage") })
    }
  }

  @Test(
    "conflicting options are rejected",
    arguments: [
      ["--user", "--prefix", "/usr"], ["--prefix", "usr"], ["--prefix", "/usr/../etc"],
      ["--prefix", "/usr/./local"],
    ]
  )
  func refused(words: [String]) {
    inWorld { world, _ in
      let outcome = await world.oppi(["setup"] + words, environment: Self.variables)
      #expect(outcome.status == 64 && outcome.output.isEmpty, "\(outcome)")
    }
  }
}
