// SPDX-License-Identifier: MIT

import FakeServer
import Foundation
import OppiModel
import TestSupport
import Testing

/// Checked answers, conditions and chains with real programs, files and shells.
@Suite(.fewAtOnce) struct CheckProgramTests {
  @Test("--schema reads a file, and prints the answer's JSON alone")
  func schema() async throws {
    let (home, server) = try await Home.paired()
    defer { withExtendedLifetime(server) {} }
    try home.write(#"{"type":"object","required":["version"]}"#, to: "version.json")
    let words = ["ask", "-w", "demo", "--wait", "--schema", "version.json", "version as JSON"]
    let outcome = try await home.oppi(words)
    #expect(outcome.status == 0 && outcome.output == "{\"version\": \"1.0\"}\n", "\(outcome)")
    for (text, error) in [("{", "is not JSON"), (#"{"pattern":"x"}"#, "keyword 'pattern'")] {
      try home.write(text, to: "version.json")
      let refused = try await home.oppi(words)
      #expect(refused.status == 65 && refused.errors.contains(error), "\(refused)")
    }
    try await home.oppi(words.map { $0 == "version.json" ? "x.json" : $0 }, exits: 66)
  }

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

  @Test("a shortcut runs when a real command's output has changed, and another one after it")
  func conditionAndChain() async throws {
    let (home, server) = try await Home.paired()
    let report = ["shortcuts", "add", "report", "-w", "demo", "about: {{answer}}"]
    #expect(try await home.oppi(report).status == 0)
    let add = [
      "shortcuts", "add", "s", "-w", "demo", "--wait", "--then", "report", "--when", "cat input",
      "--when-is", "changed", "see {{when}}",
    ]
    #expect(try await home.oppi(add).status == 0)
    let missing = try await home.oppi("run", "s")
    #expect(missing.status == 69 && missing.errors.contains("No such file"), "\(missing)")
    try home.write("one", to: "input")
    for _ in 0..<2 {
      try await home.oppi("run", "s", exits: 0)
    }
    #expect(server.texts == ["see one", "about: The command printed: hi"])
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
