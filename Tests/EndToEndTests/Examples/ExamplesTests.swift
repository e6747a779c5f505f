// SPDX-License-Identifier: MIT

import Foundation
import OppiText
import TestSupport
import Testing

/// Rules for all files of `Examples/`.
@Suite(.fewAtOnce) struct ExamplesTests {
  @Test("each example file is named in one of these suites")
  func allAreChecked() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
    let sources = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .map { try String(contentsOf: folder.appending(path: $0), encoding: .utf8) }
    #expect(Self.names.count > 20)
    for file in Self.files where !file.hasSuffix("/README.md") {
      #expect(sources.contains { $0.contains("\"\(file)\"") }, "\(file)")
    }
  }

  @Test("an example calls the program by the placeholder path only", arguments: files)
  func onePath(file: String) throws {
    guard !file.hasSuffix("/README.md") else { return }
    for path in try Self.text(file).matches(of: /[^\s"'(=:]*\/oppi(?=["'\s])/).map(\.output)
    // The name of a module in waybar, and the path of a folder.
    where path != "custom/oppi" && path != "/var/oppi" {
      #expect(path == Self.placeholder, "\(file): \(path)")
    }
  }

  @Test("README describes success, failure and removal", arguments: names)
  func readme(name: String) throws {
    let text = try Self.text("\(name)/README.md")
    let heading = try #require(text.split(separator: "\n").first)
    #expect(heading.hasPrefix("# \(name): ") && heading.count <= 80, "\(heading)")
    for word in ["Success", "Failure", "Remove"] {
      #expect(text.contains("\n\n\(word): "), "\(word)")
    }
    #expect(try !Self.typed(name).isEmpty)
    // README installs each of the other files, or names it.
    for file in Self.files where file.hasPrefix("\(name)/") && !file.hasSuffix("README.md") {
      let stem = file.dropFirst(name.count + 1).prefix { $0 != "." && $0 != "@" }
      let start = stem.split(separator: "-").prefix(2).first.map(String.init) ?? String(stem)
      #expect(text.contains(start) || text.contains("show \(name) "), "\(file)")
    }
  }

  @Test("the shortcuts of a README can be added and run", arguments: names)
  func shortcutsRun(name: String) async throws {
    let (home, server) = try await Self.start(name)
    let list = try await home.oppi("shortcuts", "--json")
    let shortcuts = try JSONValue(parsing: Array(list.output.utf8))["shortcuts"].array ?? []
    #expect(try shortcuts.count == Self.shortcuts(of: name).count, "\(list)")
    for shortcut in shortcuts {
      let needs = shortcut["needs"].array?.compactMap(\.string) ?? []
      let words = ["run", shortcut["name"].string ?? ""] + needs.flatMap { ["--var", "\($0)=x"] }
      let outcome = try await home.oppi(
        words,
        input: shortcut["input"].bool == true ? "input\n" : nil,
        environment: shortcut["workspace"].string == nil ? ["OPPI_WORKSPACE": "api"] : [:]
      )
      #expect(outcome.status == 0, "\(outcome)")
    }
    #expect(server.texts.count == shortcuts.count)
    // Each shortcut that a file of the example runs is one of them.
    let made = shortcuts.compactMap(\.["name"].string)
    for file in Self.files where file.hasPrefix("\(name)/") {
      for call in try Self.text(file).matches(of: /\/oppi run([^|;>\n]*)/).map(\.output.1) {
        let words = call.split { " \"',]".contains($0) }.map(String.init)
        let isGiven =
          call.contains("\"$name\"") || call.contains("\"$shortcut\"") || call.contains("%s")
        #expect(isGiven || words.contains(where: made.contains), "\(file): \(call)")
      }
    }
  }

  /// Checks that a command line is valid, with specifiers and variables as plain arguments.
  private static func check(_ call: String, of file: String, in home: Home) async throws {
    let isThere = try await home.oppi("pick", "--help").status == 0
    guard isThere || !call.contains("oppi pick") else { return }
    let line = call.replacing(" --follow", with: "").replacing(/%[a-zA-Z]/, with: "x")
    let outcome = try await home.shell("\(line) </dev/null")
    #expect(outcome.status != 64, "\(file): \(line)\n\(outcome)")
  }

  @Test("the program accepts each command line of a configuration", arguments: files)
  func commandLines(file: String) async throws {
    let text = try Self.example(file)
    // Other tests run these as a whole.
    let isRun =
      text.hasPrefix("#!") || ["ci/", "cron/", "kubernetes/"].contains(where: file.hasPrefix)
    guard !isRun, !file.hasSuffix("README.md") else { return }
    let home = try Home()
    let program = Executable.oppi
    let calls = text.ranges(of: "\(program) ").map { range in
      "\(program) \(text[range.upperBound...].prefix { !"|;&<>)\"'\n".contains($0) })"
    }
    for call in calls { try await Self.check(call, of: file, in: home) }
  }

  @Test("the program accepts each command line of a README", arguments: names)
  func readmeLines(name: String) async throws {
    let home = try Home()
    for line in try Self.typed(name) where !line.contains("shortcuts add") {
      for call in line.matches(of: /\boppi examples [^|;>&\n]*/).map(\.output) {
        let files = call.matches(of: /\$[fk]\b/).isEmpty ? [String(call)] : []
        for file in files { try await Self.check(file, of: "README.md", in: home) }
      }
    }
  }

  @Test("shellcheck reports nothing for the scripts", .needs("shellcheck"))
  func scripts() async throws {
    let scripts = try Self.files.filter { try Self.text($0).hasPrefix("#!") }
    #expect(scripts.count > 10)
    let outcome = try await Home()
      .run(["/usr/bin/env", "shellcheck"] + scripts.map { Self.folder.appending(path: $0).path })
    #expect(outcome.status == 0, "\(outcome)")
  }
}
