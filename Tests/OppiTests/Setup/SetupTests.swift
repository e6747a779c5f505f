// SPDX-License-Identifier: MIT

import OppiModel
import OppiText
import OppiWire
import Simulation
import Synchronization
import Testing

@testable import Oppi
@testable import OppiTestSupport

/// `oppi setup`, without other programs in `PATH`.
@Suite struct SetupTests {
  /// The number of files that setup writes.
  private static let count = SetupPlace.prefix("/usr", stage: "")
    .items(for: SetupProgram(name: "oppi", path: "/oppi")).count

  @Test("--remove removes all files and folders that setup created")
  func thereAndBack() {
    inWorld(isPaired: false) { world, _ in
      let (paths, folders) = (world.disk.paths, world.disk.folders)
      let written = await world.setup()
      #expect(written.status == 0, "\(written)")
      #expect(
        Set(written.fileStates) == ["written"] && written.lines.count == Self.count,
        "\(written)"
      )
      #expect(written.lines.allSatisfy { $0.split(separator: "\t").count == 3 }, "\(written)")
      #expect(world.disk.contents(of: SetupHome.unit) != nil)
      let removed = await world.setup("--remove")
      #expect(removed.status == 0 && Set(removed.fileStates) == ["removed"], "\(removed)")
      #expect(world.disk.paths == paths)
      #expect(world.disk.folders == folders)
      let again = await world.setup("--remove")
      #expect(again.status == 0 && again.output.isEmpty, "\(again)")
      #expect(again.errors.contains("nothing is installed"), "\(again)")
    }
  }

  @Test("a pipe gets the full path of each file; on a terminal the manual has a single line")
  func fullPaths() {
    inWorld(isPaired: false) { world, _ in
      let before = world.disk.paths
      let piped = await world.setup()
      let written = world.disk.paths.filter { !before.contains($0) && $0 != SetupHome.record }
      #expect(written.count == Self.count && written.contains(SetupHome.unit))
      let told = piped.lines.map { String($0.prefix { $0 != "\t" }) }
      #expect(told.sorted() == written, "\(piped)")
      _ = await world.setup("--remove")
      let terminal = world.start(["setup"], columns: 60, environment: SetupHome.variables)
      _ = try await terminal.end()
      let text = terminal.lines.map { $0.split(separator: " ").joined() }.joined()
      for path in written where !path.hasPrefix(SetupHome.pages) {
        #expect(text.contains(path), "\(terminal.lines)")
      }
      let pages = written.count { $0.hasPrefix(SetupHome.pages) }
      #expect(text.contains("writtenmanualpages(\(pages))\(SetupHome.pages)"), "\(terminal.lines)")
      #expect(!text.contains("oppi-ask.1"), "\(terminal.lines)")
    }
  }

  @Test("a manual page that was not modified has its own line on a terminal")
  func pageLeftAlone() {
    inWorld(isPaired: false) { world, _ in
      world.disk.put(Array("mine\n".utf8), at: "\(SetupHome.pages)/man1/oppi-ask.1")
      let terminal = world.start(["setup"], columns: 200, environment: SetupHome.variables)
      _ = try await terminal.end()
      let lines = terminal.lines.filter { $0.contains("manual page") }
      #expect(lines.count == 2, "\(terminal.lines)")
      #expect(lines.contains { $0.hasPrefix("not modified") && $0.contains("man1/oppi-ask.1") })
      #expect(lines.contains { $0.hasPrefix("written") && $0.hasSuffix(SetupHome.pages) })
    }
  }

  @Test("the single page of an older version is replaced, and obsolete pages are removed")
  func olderManual() {
    inWorld(isPaired: false) { world, _ in
      let (page, former) = ("\(SetupHome.pages)/man1/oppi.1", "\(SetupHome.pages)/man1/oppi-gone.1")
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
      world.disk.put(Array(record.text().utf8), at: SetupHome.record)
      for path in [page, former] { world.disk.put(old, at: path) }
      let trial = await world.setup("-n")
      #expect(trial.lines.contains("\(former)\tmanual page\tto be removed"), "\(trial)")
      #expect(world.disk.contents(of: former) == old)
      let outcome = await world.setup()
      #expect(outcome.lines.contains("\(page)\tmanual page\twritten"), "\(outcome)")
      #expect(outcome.lines.contains("\(former)\tmanual page\tremoved"), "\(outcome)")
      #expect(world.disk.contents(of: former) == nil && world.disk.contents(of: page) != old)
      let second = await world.setup()
      #expect(Set(second.fileStates) == ["unchanged"], "\(second)")
      #expect(second.lines.count == Self.count, "\(second)")
    }
  }

  @Test("a second run and a dry run change nothing")
  func twice() {
    inWorld { world, _ in
      let trial = await world.setup("-n")
      #expect(Set(trial.fileStates) == ["to be written"], "\(trial)")
      #expect(world.disk.contents(of: SetupHome.record) == nil)
      #expect(!world.disk.folders.contains { $0.hasSuffix("/man1") })
      _ = await world.setup()
      let before = world.disk.paths.map { world.disk.contents(of: $0) }
      let second = await world.setup()
      #expect(Set(second.fileStates) == ["unchanged"], "\(second)")
      let removal = await world.setup("--remove", "--dry-run")
      #expect(Set(removal.fileStates) == ["to be removed"], "\(removal)")
      #expect(world.disk.paths.map { world.disk.contents(of: $0) } == before)
    }
  }

  @Test("a newer version replaces its own files, and another prefix is separate")
  func renewed() {
    inWorld { world, _ in
      _ = await world.setup()
      let text = String(decoding: world.disk.contents(of: SetupHome.record) ?? [], as: UTF8.self)
      let old = Array("old\n".utf8)
      let json = try JSONValue(parsing: Array(text.utf8))
      let digest = json["places"]["user"].array?.first?["sha256"].array?.first?.string ?? ""
      world.disk.put(
        Array(text.replacing(digest, with: SHA256.hex(of: old)).utf8),
        at: SetupHome.record
      )
      world.disk.put(old, at: SetupHome.bash)
      let renewed = await world.setup()
      #expect(renewed.fileStates.first == "written", "\(renewed)")
      let other = await world.setup("--prefix", "//home//opt/")
      #expect(other.status == 0, "\(other)")
      let unit = world.disk.contents(of: "/home/opt/lib/systemd/user/oppi-watch.service") ?? []
      #expect(String(decoding: unit, as: UTF8.self).contains("=:/home/opt/bin/oppi watch\n"))
      _ = await world.setup("--remove")
      #expect(world.disk.contents(of: SetupHome.bash) == nil)
      let last = await world.setup("--prefix", "/home/opt", "--remove")
      #expect(last.lines.count == Self.count, "\(last)")
      #expect(
        !world.disk.folders.contains("/home/opt") && !world.disk.paths.contains(SetupHome.record)
      )
    }
  }

  @Test("with a user manager, setup prints the remaining commands for the units")
  func units() {
    inWorld { world, _ in
      let variables = SetupHome.variables.merging(["XDG_RUNTIME_DIR": "/run/user/7"]) { $1 }
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
      #expect(world.disk.contents(of: SetupHome.record) == nil)
      let words = ["setup", "--prefix", "/usr", "--remove"]
      await world.oppi(words, environment: variables) { $0.lines.count == Self.count }
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
      let outcome = await world.oppi(["setup"] + words, environment: SetupHome.variables)
      #expect(outcome.status == 64 && outcome.output.isEmpty, "\(outcome)")
    }
  }
}
