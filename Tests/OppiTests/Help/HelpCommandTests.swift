// SPDX-License-Identifier: MIT

import CommandTable
import OppiSystem
import OppiText
import Simulation
import Testing

@testable import Oppi
@testable import OppiTestSupport

/// `oppi help`, and the manual pages that it prints or writes.
@Suite struct HelpCommandTests {
  private static let folder = "\(World.home)/man"

  @Test(
    "on a terminal long help is shown with the pager, with bold headings",
    arguments: [
      ["help", "ask"], ["ask", "--help"], ["help", "bars"], ["--help"],
    ]
  )
  func paged(words: [String]) {
    inWorld(isPaired: false) { world, _ in
      world.programs.put("less", printing: "")
      let terminal = world.start(words)
      try await terminal.end(exits: 0)
      let input = world.programs.runs.first?.input ?? []
      let text = String(decoding: input, as: UTF8.self)
      #expect(text.contains("\u{1B}[1m") || words.last == "bars", "\(text)")
      #expect(!text.contains("\u{1}"), "\(text)")
      let lines = terminal.lines.filter { !$0.isEmpty }
      #expect(lines == [])
      let plain = world.start(words, environment: ["PAGER": "", "NO_COLOR": "1"])
      _ = try await plain.end()
      #expect(world.programs.runs.count == 1 && plain.lines.count > 10, "\(plain.lines)")
    }
  }

  @Test(
    "a summary, a pipe and a terminal without its pager get the text itself",
    arguments: [
      ["help", "ask"], ["ask", "-h"],
    ]
  )
  func unpaged(words: [String]) {
    inWorld(isPaired: false) { world, _ in
      await world.oppi(words, exits: 0) { $0.output.contains("\nUsage: oppi ask") }
      if words.last == "-h" { world.programs.put("less", printing: "") }
      let terminal = world.start(words)
      _ = try await terminal.end()
      #expect(terminal.lines.contains { $0.hasPrefix("Usage: oppi ask") }, "\(terminal.lines)")
      #expect(world.programs.runs.isEmpty)
    }
  }

  @Test(
    "a manual page is printed by its name",
    arguments: [
      ([], "OPPI 1"), (["oppi"], "OPPI 1"), (["ask"], "OPPI-ASK 1"), (["oppi-ask"], "OPPI-ASK 1"),
      (["config"], "OPPI-CONFIG 1"), (["config.5"], "OPPI-CONFIG 5"), (["json"], "OPPI-JSON 5"),
      (["settings"], "OPPI-CONFIG 5"), (["launch"], "OPPI-LAUNCH 1"),
    ]
  )
  func page(words: [String], title: String) {
    inWorld(isPaired: false) { world, _ in
      await world.oppi(["help", "--man"] + words, exits: 0) { $0.lines[1] == ".Dt \(title)" }
    }
  }

  @Test(
    "an unknown manual page is status 64, with a suggestion or the list of pages",
    arguments: [
      ("aks", "did you mean 'ask'?"), ("oppi-aks.1", "did you mean 'ask'?"),
      ("ask.5", "did you mean 'ask'?"),
      (
        "xyzzy",
        "oppi-json.5, oppi-values.7, oppi-states.7, oppi-dialects.7, oppi-keys.7, oppi-bars.7"
      ),
    ]
  )
  func unknown(name: String, hint: String) {
    inWorld(isPaired: false) { world, _ in
      await world.oppi("help", "--man", name, exits: 64, saying: "no manual page '\(name)'") {
        $0.output.isEmpty && $0.errors.contains(hint)
      }
    }
  }

  @Test("all manual pages are written to a folder, replacing older copies")
  func pages() {
    inWorld(isPaired: false) { world, _ in
      let pages = OppiTable.manual().pages
      let paths = pages.map { "\(Self.folder)/\($0.fileName)" }
      for _ in 1...2 {
        await world.oppi("help", "--man-pages", Self.folder, exits: 0) { $0.lines == paths }
      }
      #expect(world.disk.paths.filter { $0.hasPrefix(Self.folder) } == paths.sorted())
      for (page, path) in zip(pages, paths) {
        #expect(world.disk.contents(of: path) == Array(page.source.utf8), "\(path)")
      }
      let json = await world.oppi("help", "--man-pages", Self.folder, "--json").json
      #expect(json["files"].array?.compactMap(\.string) == paths)
    }
  }

  @Test("a folder that cannot be created is status 73")
  func noFolder() {
    inWorld(isPaired: false) { world, _ in
      var faults = Faults.none
      faults.disk = 1
      world.set(faults)
      await world.oppi("help", "--man-pages", Self.folder, exits: 73) { $0.output.isEmpty }
    }
  }

  @Test(
    "conflicting arguments are rejected",
    arguments: [
      ["--man", "servers", "list"], ["--man", "--man-pages", "/x"], ["ask", "--man-pages", "/x"],
    ]
  )
  func contradictions(words: [String]) {
    inWorld(isPaired: false) { world, _ in
      await world.oppi(["help"] + words, exits: 64) { $0.output.isEmpty }
    }
  }
}
