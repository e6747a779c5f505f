// SPDX-License-Identifier: MIT

import FakeServer
import OppiModel
import TestSupport
import Testing

/// The confirmation of `oppi deny --all` on a real terminal.
@Suite(.fewAtOnce) struct DenyAllTerminalTests {
  @Test("deny --all lists the requests, and only yes denies them")
  func deniesAll() async throws {
    let (home, server) = try await Home.paired()
    _ = try await home.session(asking: "deploy")
    let words = [Executable.oppi, "deny", "--all", "-w", "demo"]
    for (answer, status, count) in [("\r", Int32(130), 0), ("yes\r", 0, 1)] {
      let terminal = try ProgramOnTerminal(words, in: home)
      try await terminal.see("git push origin main")
      try await terminal.see("Deny this request?")
      try await terminal.see("[y/N]")
      terminal.type(answer)
      #expect(try await terminal.status() == status, "\(terminal.lines)")
      #expect(server.journal.requests.count { $0.path.hasSuffix("/respond") } == count)
    }
  }
}
