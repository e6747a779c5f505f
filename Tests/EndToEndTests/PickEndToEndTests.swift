// SPDX-License-Identifier: MIT

import FakeServer
import Foundation
import OppiModel
import TestSupport
import Testing

/// `oppi pick` with scripts as menu programs.
@Suite(.fewAtOnce) struct PickEndToEndTests {
  /// Installs a menu program in the home and returns an environment with it in PATH.
  private static func variables(
    putting name: String,
    _ script: String,
    in home: Home
  ) throws -> [String: String] {
    try home.write("#!/bin/sh\n\(script)\n", to: "bin/\(name)", isExecutable: true)
    return ["PATH": "\(home.folder.path)/bin:/usr/bin:/bin"]
  }

  @Test("without a terminal, pick selects a workspace and sends the typed prompt")
  func asks() async throws {
    let (home, server) = try await Home.paired()
    // Prints row number 0 if there are rows, otherwise a text.
    let script = #"""
      rows=$(cat)
      printf '%s\n' "$@" >>"$HOME/arguments"
      printf '%s\n' "$rows" >>"$HOME/rows"
      if [ -n "$rows" ]; then echo 0; else echo "it's \$HOME; 100 %"; fi
      """#
    let variables = try Self.variables(putting: "rofi", script, in: home)
    let outcome = try await home.oppi(
      ["pick", "workspaces", "--gui", "never"],
      environment: variables.merging(["DISPLAY": ":9"]) { $1 }
    )
    #expect(outcome.status == 0, "\(outcome)")
    #expect(server.journal.runs.map(\.text) == ["it's $HOME; 100 %"])
    let shown = try await home.shell("cat rows arguments")
    #expect(shown.output.hasPrefix("ask studio/demo"), "\(shown)")
    #expect(shown.output.contains("\n-no-custom\n"), "\(shown)")
    let mode = try await home.shell("stat -c %a .local/state/oppi/recent-picks.json")
    #expect(mode.output == "600\n", "\(mode)")
  }

  @Test(
    "a menu on the terminal gets its keys, and a decision ignores FZF_DEFAULT_OPTS"
  )
  func decides() async throws {
    let (home, server) = try await Home.paired()
    _ = try await home.session(asking: "deploy")
    try await server.poll("/permissions/pending") { $0["pending"].array?.count == 1 }
    // Shows its rows and prints the row whose number is typed.
    let script = #"""
      rows=$(cat)
      { printf '%s\n' "$rows" | cut -f4; echo "options: $FZF_DEFAULT_OPTS;"; } >/dev/tty
      read -r number </dev/tty
      printf '%s\n' "$rows" | sed -n "${number}p"
      """#
    let terminal = try ProgramOnTerminal(
      [Executable.oppi, "pick", "approvals"],
      in: home,
      environment: try Self.variables(putting: "fzf", script, in: home)
        .merging(["FZF_DEFAULT_OPTS": "--tac"]) { $1 }
    )
    try await terminal.see("options: --tac;")
    try await terminal.type("1\r", see: "options: ;")
    #expect(terminal.lines.contains("|   git push origin main"), "\(terminal.lines)")
    #expect(terminal.lines.contains("Approve once"), "\(terminal.lines)")
    terminal.type("7\r")
    #expect(try await terminal.status() == 0, "\(terminal.lines)")
    #expect(terminal.lines.contains { $0.hasPrefix("denied") }, "\(terminal.lines)")
  }
}
