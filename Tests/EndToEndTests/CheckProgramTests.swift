// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

/// Checks of answers and conditions with real shells.
@Suite(.fewAtOnce) struct CheckProgramTests {
  @Test("--verify runs a shell with the answer as input, and sends a failure to the agent")
  func verify() async throws {
    let (home, server) = try await Home.paired()
    // Fails once.
    let check =
      "grep -q 'printed: hi' && { [ -e checked ] || { echo 2 failed; : >checked; exit 3; }; }"
    let words = [
      "ask", "-w", "demo", "--wait", "--verify", check, "--verify-retries", "1", "hello",
    ]
    try await home.oppi(words, exits: 0)
    #expect(server.texts.count == 2 && server.texts[1]?.contains("2 failed") == true)
    let failed = try await home.oppi("ask", "-w", "demo", "--wait", "--verify", "exit 9", "hello")
    #expect(failed.status == 1 && failed.errors.contains("status 9"), "\(failed)")
  }

  @Test("a check that does not end is killed at --timeout")
  func endless() async throws {
    let (home, server) = try await Home.paired()
    defer { withExtendedLifetime(server) {} }
    let add = ["shortcuts", "add", "s", "-w", "demo", "--when", "sleep 600", "hello"]
    #expect(try await home.oppi(add).status == 0)
    let outcome = try await home.oppi("run", "--timeout", "200ms", "s")
    #expect(outcome.status == 69 && outcome.errors.contains("did not end"), "\(outcome)")
  }
}
