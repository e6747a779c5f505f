// SPDX-License-Identifier: MIT

import Foundation
import LoopbackServer
import OppiModel
import ProgramTestSupport
import TestSupport
import Testing

/// A chat in a real pseudo-terminal, with keys at a person's pace.
@Suite(.fewAtOnce) struct ChatTerminalTests {
  /// Chats about a call that waits for approval; the keys are a shell's commands that print them.
  private func chat(
    _ home: Home,
    _ server: RunningServer,
    terminal: String,
    keys: String
  ) async throws -> Outcome {
    let id = try await home.session(asking: "deploy")
    try await server.poll("/permissions/pending") { $0["pending"].array?.isEmpty == false }
    let streams = server.streams
    let ready = home.folder.appending(path: "ready").path
    let over = home.folder.appending(path: "over").path
    let line = """
      wait_for() { until [ -e "$1" ]; do sleep 0.05; done; }
      { wait_for '\(ready)'; \(keys); wait_for '\(over)'; printf '\\025\\004'; } |
        TERM=\(terminal) script -qec 'stty rows 30 cols 80; oppi chat --session=\(id)' /dev/null
      """
    async let chatting = home.shell(line)
    try await server.wait { journal in
      journal.requests.count { $0.path.hasSuffix("/stream") } > streams
    }
    try Data().write(to: URL(filePath: ready))
    try await server.poll("/permissions/pending") { $0["pending"].array?.isEmpty == true }
    try Data().write(to: URL(filePath: over))
    return try await chatting
  }

  private func decisions(of server: RunningServer) -> [String] {
    server.journal.requests.filter { $0.path.hasSuffix("/respond") }.map(\.path)
  }

  @Test("what is typed when a request is open does not decide on it; a letter and Enter do")
  func screen() async throws {
    let home = try Home()
    let server = try await home.paired()
    let outcome = try await chat(
      home,
      server,
      terminal: "xterm",
      // A word and Enter at once, as of somebody who was writing; then a look, and a denial.
      keys:
        "printf 'danger'; sleep 0.2; printf '\\r'; sleep 1.5; printf 'd'; sleep 0.6; printf '\\r'"
    )
    #expect(outcome.status == 0, "\(outcome)")
    #expect(decisions(of: server).count == 1)
    #expect(outcome.output.contains("proposed, not yet run: bash"), "\(outcome)")
    #expect(outcome.output.contains("git push origin main"), "\(outcome)")
    #expect(outcome.output.contains("denied"), "\(outcome)")
    #expect(server.journal.runs.map(\.text) == ["deploy"])
  }

  @Test("where a terminal can only print, a request is decided on by its number, with a reason")
  func lines() async throws {
    let home = try Home()
    let server = try await home.paired()
    let outcome = try await chat(
      home,
      server,
      terminal: "dumb",
      keys: "sleep 1; printf 'allow 2\\n'; sleep 0.3; printf 'deny 1 use a branch\\n'"
    )
    #expect(outcome.output.contains("there is no open request 2"), "\(outcome)")
    #expect(outcome.output.contains("proposed: git push origin main"), "\(outcome)")
    #expect(decisions(of: server).count == 1)
  }
}
