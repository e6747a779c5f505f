// SPDX-License-Identifier: MIT

import Foundation
import LoopbackServer
import OppiModel
import TestSupport
import Testing

/// `oppi pick` with menu programs of its own, which are scripts.
@Suite(.fewAtOnce) struct PickEndToEndTests {
  /// Puts a program on the path, and returns the variables that lead to it.
  private static func variables(
    putting name: String,
    _ script: String,
    in home: Home
  ) throws -> [String: String] {
    try home.write("#!/bin/sh\n\(script)\n", to: "bin/\(name)", isExecutable: true)
    return ["PATH": "\(home.folder.path)/bin:/usr/bin:/bin"]
  }

  @Test("behind a key a workspace is chosen, and what is typed is asked there")
  func asks() async throws {
    let home = try Home()
    let server = try await home.paired()
    // Prints the number of the row where there are rows, else a text.
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
    "a menu on the terminal has its keys, and none of the variables that would change a decision"
  )
  func decides() async throws {
    let home = try Home()
    let server = try await home.paired()
    _ = try await home.session(asking: "deploy")
    try await server.poll("/permissions/pending") { $0["pending"].array?.count == 1 }
    // Shows its rows, and prints the one whose number is typed.
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
    terminal.type("1\r")
    try await terminal.see("options: ;")
    #expect(terminal.lines.contains("|   git push origin main"), "\(terminal.lines)")
    #expect(terminal.lines.contains("Approve, once"), "\(terminal.lines)")
    terminal.type("7\r")
    #expect(try await terminal.status() == 0, "\(terminal.lines)")
    #expect(terminal.lines.contains { $0.hasPrefix("denied") }, "\(terminal.lines)")
  }
}
