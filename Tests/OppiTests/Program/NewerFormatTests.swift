// SPDX-License-Identifier: MIT

import Simulation
import Testing

@testable import OppiSystem
@testable import OppiTestSupport

/// Files that a later version of this program wrote.
@Suite struct NewerFormatTests {
  /// A file of a paired home that is in use.
  struct File: Sendable, CustomTestStringConvertible {
    let path: String
    var text = #"{"version":2,"else":true}"#
    /// Whether no command needs it: it is not used, and written by none.
    var isDispensable = false

    var testDescription: String { path }
  }

  /// Each record, and a record in each folder.
  private static let files: [File] = {
    let paths = XDGPaths(environment: [:], home: World.home)
    let history = "{\"version\":2}\n{\"else\":true}\n"
    return [File(path: paths.historyFile, text: history)]
      + paths.ownFiles.compactMap { file in
        switch file.form {
        case .record: File(path: file.path, isDispensable: file.isReplaceable)
        // The names of requests are those of runs.
        case .folder where file.path == paths.scheduleRequestsFolder: nil
        case .folder: File(path: "\(file.path)/x.json")
        case .other: nil
        }
      }
  }()

  /// Commands that read, replace and remove all files.
  private static let commands: [[String]] = [
    ["ask", "-q", "-w", "demo", "hello"],
    ["ask", "-q", "-s", "last", "hello"],
    ["ask", "-q", "-w", "demo", "--queue", "--key", "x", "hello"],
    ["outbox"], ["outbox", "flush"], ["outbox", "retry", "x"],
    ["run", "x"], ["shortcuts"], ["shortcuts", "show", "x"],
    ["shortcuts", "add", "x", "-w", "demo", "--replace", "hi"],
    ["schedule", "list"], ["schedule", "disable", "x"], ["schedule", "enable", "x"],
    ["history"], ["config"], ["config", "set", "thinking", "high"],
    ["config", "unset", "thinking"],
    ["servers"], ["servers", "show", "studio"], ["servers", "rename", "studio", "atelier"],
    ["servers", "rename", "atelier", "studio"], ["workspaces"], ["models"], ["sessions"],
    ["status"], ["show", "last"], ["new", "--print-target"], ["launch", "--print"],
    ["setup"], ["doctor"], ["setup", "--remove"], ["history", "--clear"], ["outbox", "drop", "x"],
    ["schedule", "remove", "x"], ["shortcuts", "remove", "x"], ["servers", "forget", "studio"],
  ]

  @Test("a file of a later version is refused and left unchanged by all commands", arguments: files)
  func refusal(file: File) {
    inWorld { world, _ in
      for words in [
        ["ask", "-q", "-w", "demo", "hello"],
        ["shortcuts", "add", "x", "-w", "demo", "--session", "same", "hi"],
      ] {
        let outcome = await world.oppi(words)
        try #require(outcome.status == 0, "\(words) \(outcome)")
      }
      world.disk.put(Array(file.text.utf8), at: file.path)
      var told = ""
      for words in Self.commands {
        let outcome = await world.oppi(words)
        told += outcome.errors + outcome.output
        let text = world.disk.contents(of: file.path).map { String(decoding: $0, as: UTF8.self) }
        #expect(text == file.text, "\(words)")
        let isAside = world.disk.contents(of: "\(file.path).corrupt") != nil
        #expect(!isAside, "\(words)")
      }
      let isRefused = told.contains("\(file.path) has version 2, which this version of oppi")
      #expect(isRefused || file.isDispensable, "\(told)")
    }
  }
}
