// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

/// The transcript and the command lines of README.md.
@Suite(.fewAtOnce) struct ReadmeTests {
  private static let text: String = {
    let file = URL.package.appending(path: "README.md")
    return (try? String(contentsOf: file, encoding: .utf8)) ?? ""
  }()

  @Test("the transcript matches the program's output", .needs("script", "git"))
  func transcript() async throws {
    let block = try #require(Self.text.firstMatch(of: /```console\n((?:.|\n)*?)```/)).output.1
    let (home, server) = try await Home.paired()
    defer { withExtendedLifetime(server) {} }
    let prepared = try await home.shell(
      "git init -q . && echo old >notes && git add notes && echo new >notes"
    )
    try #require(prepared.status == 0, "\(prepared)")
    var script = "status=0\n"
    for line in block.split(separator: "\n") where line.hasPrefix("$ ") {
      let command = line.dropFirst(2)
      script += "printf '%s\\n' \(quoted(String(line)))\n(exit $status); \(command)\nstatus=$?\n"
    }
    try home.write(script, to: "block.sh")
    // The transcript shows what a terminal shows.
    let outcome = try await home.shell(
      "script -qec 'sh block.sh' /dev/null",
      environment: ["NO_COLOR": "1"]
    )
    let lines = outcome.output.replacing("\r\n", with: "\n").split(separator: "\n")
    let expected = block.split(separator: "\n")
    #expect(lines.count == expected.count, "\(outcome)")
    for (line, pattern) in zip(lines, expected) {
      #expect(matches(String(line), String(pattern)), "\(pattern)\n\(line)")
    }
  }

  @Test("the page about the sources names files, folders and targets that exist")
  func sources() throws {
    let root = URL.package.appending(path: "Sources")
    let text = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
    let names = text.matches(of: /`(\.?[A-Z]?[A-Za-z]+\/[A-Za-z\/+.]+)`/).map {
      String($0.output.1)
    }
    let rows = text.matches(of: /(?m)^\| `([A-Za-z]+)`/).map { String($0.output.1) }
    let commands = text.matches(of: /(?m)^ {4}([A-Z.][A-Za-z\/]+\/[a-z]+)/).map {
      String($0.output.1)
    }
    #expect(names.count > 10 && rows.count > 10 && commands.count > 3)
    for name in names + rows + commands {
      let places = [URL.package, root].map { $0.appending(path: name).path }
      #expect(places.contains(where: FileManager.default.fileExists), "\(name)")
    }
  }

  private func quoted(_ word: String) -> String {
    "'\(word.replacing("'", with: "'\\''"))'"
  }

  /// Whether a line matches a pattern: `…` matches any text, and an id matches any id.
  private func matches(_ line: String, _ pattern: String) -> Bool {
    let id = /[A-Za-z0-9_-]{8}/
    if pattern.wholeMatch(of: id) != nil { return line.wholeMatch(of: id) != nil }
    // Ids of workspaces differ from run to run.
    let pieces = pattern.replacing(#/  [A-Za-z0-9_-]{8}(?=  |$)/#, with: "  …")
      .split(separator: "…", omittingEmptySubsequences: false)
    var rest = line[...]
    for (index, piece) in pieces.enumerated() {
      if index == 0 {
        guard rest.hasPrefix(piece) else { return false }
        rest = rest.dropFirst(piece.count)
      } else {
        guard let range = rest.firstRange(of: piece) else { return false }
        rest = rest[range.upperBound...]
      }
    }
    return true
  }

  @Test("each line of a code block that begins with oppi is a valid command line")
  func commandLines() async throws {
    let home = try Home()
    let lines = Self.text.split(separator: "\n").compactMap { line -> String? in
      let line = line.trimmingPrefix(#/\s+|\$ /#)
      return line.hasPrefix("oppi ") ? String(line.prefix { !">|#".contains($0) }) : nil
    }
    #expect(lines.count > 5)
    for line in lines {
      // Wrong options are found by running the line; no server is paired.
      let outcome = try await home.shell("\(line) </dev/null", shell: "/bin/bash")
      #expect(outcome.status != 64, "\(line)\n\(outcome)")
    }
  }
}
