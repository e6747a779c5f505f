// SPDX-License-Identifier: MIT

import CommandTable
import Foundation
import OppiCommands
import Testing

@Suite struct OppiTableTests {
  @Test("the table has no defects")
  func defects() {
    #expect(OppiTable.tool.defects().isEmpty)
  }

  @Test("every command file has a row")
  func everyFileHasARow() throws {
    let folder = Sources.folder.appending(path: "OppiCommands/Commands")
    let declarations = try Sources.swiftFiles(below: folder).flatMap { file in
      try String(contentsOf: file, encoding: .utf8).matches(
        of: /= Command\(\s*"([^"]+)"/
      )
      .map { String($0.output.1) }
    }
    func names(_ commands: [Command]) -> [String] {
      commands.flatMap { [$0.name] + names($0.subcommands) }
    }
    #expect(declarations.sorted() == names(OppiTable.commands).sorted())
  }

  @Test("short help fits a screen of 80 columns")
  func helpFits() throws {
    let help = try #require(Help.text(for: [], in: OppiTable.tool, form: .short, width: 80))
    #expect(help.split(separator: "\n").allSatisfy { $0.count <= 80 })
    #expect(help.split(separator: "\n").count <= 40)
  }

  @Test(
    "every word of help is as recorded",
    arguments: ["", "ask", "workspaces", "pair", "servers", "config"]
  )
  func helpSnapshots(command: String) throws {
    let path = command.isEmpty ? [] : [command]
    let help = try #require(Help.text(for: path, in: OppiTable.tool, form: .long, width: 80))
    try Snapshot.check(help, "help-\(command.isEmpty ? "oppi" : command).txt")
  }

  @Test("the manual is as recorded")
  func manualSnapshot() throws {
    try Snapshot.check(ManPage.mdoc(for: OppiTable.tool, date: "November 21, 2026"), "oppi.1")
  }
}

/// Where the package's own sources are.
enum Sources {
  static let package = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
  static let folder = package.appending(path: "Sources")

  static func swiftFiles(below folder: URL) throws -> [URL] {
    try FileManager.default.subpathsOfDirectory(atPath: folder.path)
      .filter { $0.hasSuffix(".swift") }
      .map { folder.appending(path: $0) }
  }
}

/// Texts that are kept beside the tests, so that a change of them shows in review.
enum Snapshot {
  /// Compares with the recorded text; with `RECORD_SNAPSHOTS` in the environment it records, and
  /// fails so that a recording run never passes for a test.
  static func check(_ text: String, _ name: String) throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "Snapshots/\(name)")
    if ProcessInfo.processInfo.environment["RECORD_SNAPSHOTS"] != nil {
      try text.write(to: file, atomically: true, encoding: .utf8)
      Issue.record("recorded \(name)")
      return
    }
    let recorded = try String(contentsOf: file, encoding: .utf8)
    let difference = text.split(separator: "\n", omittingEmptySubsequences: false)
      .difference(from: recorded.split(separator: "\n", omittingEmptySubsequences: false))
    #expect(difference.isEmpty, "\(name) has changed; RECORD_SNAPSHOTS=1 swift test records it")
  }
}
