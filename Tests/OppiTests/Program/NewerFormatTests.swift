// SPDX-License-Identifier: MIT

import OppiWire
import Simulation
import Testing

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

  private static let files: [File] = [
    File(path: ".config/oppi/config.json"),
    File(path: ".config/oppi/servers.json"),
    File(path: ".config/oppi/shortcuts/x.json"),
    File(path: ".local/state/oppi/credentials.json"),
    File(path: ".local/state/oppi/access-tokens.json"),
    File(path: ".local/state/oppi/history.jsonl", text: "{\"version\":2}\n{\"else\":true}\n"),
    File(path: ".local/state/oppi/history.json"),
    File(path: ".local/state/oppi/last-used.json"),
    File(path: ".local/state/oppi/launch-target.json"),
    File(path: ".local/state/oppi/outbox/k.json"),
    File(path: ".local/state/oppi/schedules/x.json"),
    File(path: ".local/state/oppi/shortcut-sessions.json"),
    File(path: ".local/state/oppi/setup.json"),
    // Everything in these can be fetched again or is only a convenience.
    File(path: ".local/state/oppi/dialects.json", isDispensable: true),
    File(path: ".local/state/oppi/recent-picks.json", isDispensable: true),
    File(path: ".local/state/oppi/shown-requests.json", isDispensable: true),
    File(path: ".local/state/oppi/chat-history.json", isDispensable: true),
    File(path: ".cache/oppi/workspaces.json", isDispensable: true),
    File(path: ".cache/oppi/models.json", isDispensable: true),
    File(path: ".cache/oppi/sessions.json", isDispensable: true),
    File(path: ".cache/oppi/turns.json", isDispensable: true),
  ]

  /// Commands that read, replace and remove all files.
  private static let commands: [[String]] = [
    ["ask", "-q", "-w", "demo", "hello"],
    ["ask", "-q", "-s", "last", "hello"],
    ["ask", "-q", "-w", "demo", "--queue", "--key", "k", "hello"],
    ["outbox"], ["outbox", "flush"], ["outbox", "retry", "k"],
    ["run", "x"], ["shortcuts"], ["shortcuts", "show", "x"],
    ["shortcuts", "add", "x", "-w", "demo", "--replace", "hi"],
    ["schedule", "list"], ["schedule", "disable", "x"], ["schedule", "enable", "x"],
    ["history"], ["config"], ["config", "set", "thinking", "high"],
    ["config", "unset", "thinking"],
    ["servers"], ["servers", "show", "studio"], ["servers", "rename", "studio", "atelier"],
    ["servers", "rename", "atelier", "studio"], ["workspaces"], ["models"], ["sessions"],
    ["status"], ["show", "last"], ["new", "--print-target"], ["launch", "--print"],
    ["setup"], ["doctor"], ["setup", "--remove"], ["history", "--clear"], ["outbox", "drop", "k"],
    ["schedule", "remove", "x"], ["shortcuts", "remove", "x"], ["servers", "forget", "studio"],
  ]

  @Test("a file of a later version is refused and left unchanged by all commands", arguments: files)
  func refusal(file: File) {
    inWorld { world, _ in
      let path = "\(World.home)/\(file.path)"
      for words in [
        ["ask", "-q", "-w", "demo", "hello"],
        ["shortcuts", "add", "x", "-w", "demo", "--session", "same", "hi"],
      ] {
        let outcome = await world.oppi(words)
        try #require(outcome.status == 0, "\(words) \(outcome)")
      }
      world.disk.put(Array(file.text.utf8), at: path)
      var errors = ""
      for words in Self.commands {
        errors += await world.oppi(words).errors
        let text = world.disk.contents(of: path).map { String(decoding: $0, as: UTF8.self) }
        #expect(text == file.text, "\(words)")
        let isAside = world.disk.contents(of: "\(path).corrupt") != nil
        #expect(!isAside, "\(words)")
      }
      let isRefused = errors.contains("\(path) has version 2, which this version of oppi")
      #expect(isRefused || file.isDispensable, "\(errors)")
    }
  }
}
