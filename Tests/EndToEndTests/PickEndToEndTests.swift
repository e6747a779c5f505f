// SPDX-License-Identifier: MIT

import Foundation
import OppiText
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
