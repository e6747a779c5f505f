// SPDX-License-Identifier: MIT

import FakeServer
import Foundation
import OppiText
import OppiWire
import TestSupport
import Testing

/// `oppi pair --link`, which shows a link and sends nothing before the answer yes.
@Suite(.fewAtOnce) struct PairLinkTests {
  private static let server = Line.multiplexed

  private static func isPaired(_ home: Home) async throws -> Bool {
    try await !home.oppi("servers").output.isEmpty
  }

  @Test("on a terminal the server is shown, and yes pairs")
  func agreed() async throws {
    let server = try await Self.server.start()
    let home = try Home()
    let invite = try server.makeInvite().url
    let terminal = try ProgramOnTerminal([Executable.oppi, "pair", "--link", invite], in: home)
    try await terminal.see("Type yes")
    let shown = terminal.lines.joined(separator: "\n")
    #expect(shown.contains("http://127.0.0.1:\(server.port)"), "\(shown)")
    #expect(shown.replacing("\n", with: "").contains(server.fingerprint.text), "\(shown)")
    #expect(shown.contains("not encrypted"), "\(shown)")
    #expect(server.journal.connections == 0)
    try await terminal.type("yes\r", see: "paired with")
    #expect(try await terminal.status() == 0)
    #expect(try await Self.isPaired(home))
  }

  @Test(
    "any other answer sends nothing",
    arguments: ["\r", "y\r", "no\r", "yes please\r", "\u{04}", "\u{03}"]
  )
  func refused(answer: String) async throws {
    let server = try await Self.server.start()
    let home = try Home()
    let terminal = try ProgramOnTerminal(
      [Executable.oppi, "pair", "--link", "--quiet", server.makeInvite().url],
      in: home
    )
    try await terminal.see("Type yes")
    terminal.type(answer)
    #expect(try await terminal.status() == 130)
    #expect(server.journal.connections == 0)
    #expect(try await !Self.isPaired(home))
  }

  @Test("a link without a fingerprint is rejected, because it could replace another server")
  func nameless() async throws {
    let server = try await Self.server.start()
    let home = try Home()
    let json = try JSONValue(parsing: Array(server.makeInvite().json.utf8))
    var members = try #require(json.object)
    members["fingerprint"] = nil
    let terminal = try ProgramOnTerminal(
      [Executable.oppi, "pair", "--link", JSONValue.object(members).text()],
      in: home
    )
    #expect(try await terminal.status() == 65)
    #expect(server.journal.connections == 0)
  }

  @Test("without a terminal a window is opened, and the invite is in no command line")
  func window() async throws {
    let server = try await Self.server.start()
    let home = try Home()
    let invite = try server.makeInvite().url
    // A terminal program that records its arguments.
    try home.write(
      "#!/bin/sh\necho \"$@\" >\"$HOME/part\" && mv \"$HOME/part\" \"$HOME/opened\"\n",
      to: "bin/xdg-terminal-exec",
      isExecutable: true
    )
    let outcome = try await home.oppi(
      ["pair", "--link", "--", invite],
      environment: ["PATH": "\(home.folder.path)/bin:/usr/bin:/bin", "DISPLAY": ":0"]
    )
    #expect(outcome.status == 0, "\(outcome)")
    let opened = try await home.shell("\(Home.until("[ -s opened ]")); cat opened")
    #expect(opened.output.hasSuffix("/oppi pair --link\n"), "\(opened)")
    #expect(try await !Self.isPaired(home) && server.journal.connections == 0)
    let file = home.folder.appending(path: ".local/state/oppi/link.json")
    let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions]
    #expect(mode as? Int == 0o600)
    let terminal = try ProgramOnTerminal([Executable.oppi, "pair", "--link"], in: home)
    try await terminal.see("Type yes")
    #expect(!FileManager.default.fileExists(atPath: file.path))
    terminal.type("yes\r")
    #expect(try await terminal.status() == 0)
    #expect(try await Self.isPaired(home))
    let again = try ProgramOnTerminal([Executable.oppi, "pair", "--link"], in: home)
    #expect(try await again.status() == 66, "\(again.lines)")
  }

  @Test(
    "without a display or a terminal program no window is opened, and nothing is saved or sent",
    arguments: [true, false]
  )
  func nowhere(hasProgram: Bool) async throws {
    let server = try await Self.server.start()
    let home = try Home()
    try home.write("#!/bin/sh\n", to: "bin/x-terminal-emulator", isExecutable: true)
    let outcome = try await home.run(
      [Executable.oppi, "pair", "--link", "--", server.makeInvite().url],
      environment: ["PATH": hasProgram ? "\(home.folder.path)/bin:/usr/bin:/bin" : "/nowhere"]
    )
    #expect(outcome.status == 78 && outcome.output.isEmpty, "\(outcome)")
    #expect(outcome.errors.contains("not paired: no terminal found"), "\(outcome)")
    #expect(outcome.errors.contains("TERMINAL"), "\(outcome)")
    #expect(server.journal.connections == 0)
    #expect(!FileManager.default.fileExists(atPath: home.folder.appending(path: ".local").path))
  }
}
