// SPDX-License-Identifier: MIT

import CommandTable
import Foundation
import OppiModel
import TestSupport
import Testing

@testable import Oppi
@testable import OppiClient
@testable import OppiPrompts

/// The manual pages that `oppi setup` installs.
@Suite struct ManualTests {
  private static let manual = OppiTable.manual()
  private static let pages = manual.pages
  private static let sources = Dictionary(
    uniqueKeysWithValues: pages.map { ($0.fileName, $0.source) }
  )

  private static func lines(_ page: String) -> [Substring] {
    (sources[page] ?? "").split(separator: "\n")
  }

  /// All commands below the given commands, by their full names.
  private static func all(
    _ commands: [Command] = OppiTable.commands,
    below noun: String = "oppi"
  ) -> [(name: String, command: Command)] {
    commands.filter { !$0.isHidden }.flatMap { command in
      let name = "\(noun) \(command.name)"
      return [(name, command)] + all(command.subcommands, below: name)
    }
  }

  @Test("the pages have unique names")
  func names() {
    let names = Self.pages.map(\.fileName)
    #expect(Set(names).count == names.count)
    #expect(names.first == "oppi.1")
    let others = [
      "oppi-json.5", "oppi-values.7", "oppi-states.7", "oppi-dialects.7", "oppi-keys.7",
      "oppi-bars.7", "oppi-costs.7", "oppi-checks.7", "oppi-display.7", "oppi-accessible.7",
    ]
    #expect(names.suffix(10) == others[...])
    for command in OppiTable.commands {
      #expect(names.contains("oppi-\(command.name).1") == !command.isHidden)
    }
  }

  @Test("every page has its name, its summary and the sections of a manual page")
  func sections() {
    for page in Self.pages {
      let lines = Self.lines(page.fileName)
      #expect(lines[1] == ".Dt \(page.name.uppercased()) \(page.section)")
      #expect(lines[3...4] == [".Sh NAME", ".Nm \(page.name)"])
      #expect(lines[5].hasPrefix(".Nd "))
      let titles = lines.filter { $0.hasPrefix(".Sh ") }.map { $0.dropFirst(4) }
      #expect(titles.contains("DESCRIPTION"), "\(page.fileName)")
      #expect(titles.contains("SYNOPSIS") == (page.section == 1), "\(page.fileName)")
      #expect(titles.last == "SEE ALSO", "\(page.fileName)")
      #expect(Set(titles).count == titles.count, "\(page.fileName)")
    }
  }

  @Test("references lead to pages that exist, and from oppi(1) to every page")
  func references() {
    let names = Set(Self.pages.map(\.fileName))
    var targets: [String: Set<String>] = [:]
    for page in Self.pages {
      let found = Self.lines(page.fileName).flatMap { line in
        line.matches(of: /Xr (\S+) (\d)/).map { "\($0.output.1).\($0.output.2)" }
      }
      #expect(names.isSuperset(of: found), "\(page.fileName)")
      #expect(!found.contains(page.fileName), "\(page.fileName)")
      targets[page.fileName] = Set(found)
    }
    var reached: Set<String> = ["oppi.1"]
    for _ in Self.pages { reached.formUnion(reached.flatMap { targets[$0] ?? [] }) }
    #expect(reached == names)
  }

  @Test("every command and every option is on exactly one page")
  func completeness() {
    let options = OppiTable.tool.globalArguments + Self.all().flatMap(\.command.arguments)
    let terms = Self.pages.flatMap { Self.lines($0.fileName) }.compactMap { line in
      line.firstMatch(of: /^\.It (?:Fl \w , )?Fl -([\w-]+)/).map { String($0.output.1) }
    }
    let names = options.filter { !$0.role.isPositional && !$0.isHidden }.map(\.name)
    #expect(terms.sorted() == names.sorted())
    let overview = Self.lines("oppi.1")
    for command in OppiTable.commands where !command.isHidden {
      let isLinked = overview.contains(".It Xr oppi-\(command.name) 1")
      #expect(isLinked == command.isListed, "\(command.name)")
    }
    for (name, command) in Self.all() {
      let words = name.split(separator: " ")
      let page = Self.lines("oppi-\(words[1]).1")
      if words.count > 2 {
        let headings = Self.pages.flatMap { Self.lines($0.fileName) }.filter { $0 == ".Ss \(name)" }
        #expect(headings.count == 1 && page.contains(".Ss \(name)"), "\(name)")
      }
      for argument in command.arguments where !argument.isHidden && !argument.role.isPositional {
        let isThere = page.contains { $0.hasPrefix(".It") && $0.contains("Fl -\(argument.name)") }
        #expect(isThere, "\(name) \(argument.label)")
      }
    }
  }

  @Test("every setting, file, variable, status and error code is documented")
  func reference() {
    let tool = OppiTable.tool
    func count(_ item: String, in page: String) -> Int {
      Self.lines(page).count { $0 == ".It \(item)" }
    }
    for row in tool.files { #expect(count("Pa \(row.term)", in: "oppi.1") == 1, "\(row)") }
    for row in tool.environment { #expect(count("Ev \(row.term)", in: "oppi.1") == 1, "\(row)") }
    for row in tool.exitStatuses { #expect(count("Li \(row.term)", in: "oppi.1") == 1, "\(row)") }
    for key in ConfigKey.all {
      #expect(count("Li \(key.name)", in: "oppi-config.5") >= 1, "\(key.name)")
    }
    let settings = tool.topics.first { $0.name == "settings" }?.lists.first?.rows ?? []
    #expect(settings.map(\.term) == ConfigKey.all.map(\.name))
    for row in Shortcut.shape.rows {
      #expect(count("Li \(row.term)", in: "oppi-config.5") >= 1, "\(row)")
    }
    for code in OppiError.Code.allCases {
      let line = "\(code.rawValue) (\(code.status.rawValue))".replacing("-", with: "\\-")
      #expect(Self.lines("oppi-json.5").contains { $0 == line }, "\(line)")
    }
  }

  @Test("every member of every command's JSON is in oppi-json(5)")
  func members() {
    let lists = OppiTable.tool.topics.first { $0.name == "json" }?.lists ?? []
    let headings = lists.flatMap { $0.heading.components(separatedBy: ", ") }
    for (name, command) in Self.all() where !command.members.isEmpty {
      #expect(headings.contains { "oppi \($0)" == name }, "\(name)")
    }
    for list in lists {
      #expect(Self.lines("oppi-json.5").contains(".Ss \(list.heading)"), "\(list.heading)")
    }
    let manual = Self.pages.compactMap { Self.sources[$0.fileName] }.joined()
    #expect(manual.components(separatedBy: "tlsCertFingerprint").count == 2)
  }

  @Test("every topic is on a page")
  func topics() {
    for topic in OppiTable.tool.topics {
      let source = Self.manual.page(named: topic.name)?.source ?? ""
      #expect(source.contains(".Sh NAME"), "\(topic.name)")
    }
    #expect(Self.manual.page(named: "settings")?.fileName == "oppi-config.5")
    #expect(Self.manual.page(named: "exit-status")?.fileName == "oppi.1")
    #expect(Self.manual.page(named: "config")?.fileName == "oppi-config.1")
  }

  @Test("every page matches its snapshot", arguments: pages.map(\.fileName))
  func snapshots(name: String) throws {
    try Snapshot.check(Self.sources[name] ?? "", "manual/\(name)")
  }

  @Test("every recorded page exists")
  func recorded() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "Snapshots/manual")
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(files.sorted() == Self.pages.map(\.fileName).sorted())
  }
}
