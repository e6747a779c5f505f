// SPDX-License-Identifier: MIT

import FakeServer
import TestSupport
import Testing

@Suite("oppi demo", .fewAtOnce) struct DemoTests {
  @Test(
    "without a terminal the demo allows the push and ends with status 0",
    arguments: [
      ([], "answer sent; "), (["--dialect", "deviceKeys"], "answer sent; "),
      (["--dialect", "sessionSockets"], "answer sent; "),
      (["--dialect", "multiplexed"], "approved\t"), (["--dialect", "perSession"], "approved\t"),
    ]
  )
  func automatic(options: [String], reply: String) async throws {
    let home = try Home()
    let outcome = try await home.oppi(["demo"] + options)
    #expect(outcome.status == 0, "\(outcome)")
    #expect((outcome.output + outcome.errors).contains(reply), "\(outcome)")
    #expect(outcome.output.contains("The branch is pushed."), "\(outcome)")
    #expect(outcome.output.contains(#""response":"You're welcome!"#), "\(outcome)")
    #expect(!outcome.errors.contains("[Y/n]"), "\(outcome)")
    let folders = try await home.shell("ls -d .config .local .cache")
    #expect(folders.output.isEmpty, "\(folders)")
  }

  @Test(
    "on a terminal the demo asks for a decision",
    arguments: [
      ("deviceKeys", "n", "oppi answer", "Not pushed: Blocked by user"),
      ("deviceKeys", "y", "oppi answer", "branch is pushed."),
      ("multiplexed", "n", "oppi deny", "Not pushed: Denied by user"),
      ("multiplexed", "y", "oppi approve", "branch is pushed."),
    ]
  )
  func decided(dialect: String, key: String, command: String, answer: String) async throws {
    let program = [Executable.oppi, "demo", "--dialect", dialect]
    let terminal = try ProgramOnTerminal(program, in: Home(), rows: 60)
    try await terminal.see("[Y/n]")
    terminal.type("\(key)\r")
    try await terminal.see(command)
    try await terminal.see(answer)
    #expect(try await terminal.status() == 0)
  }

  @Test("demo --help lists the prompts that its server knows")
  func vocabulary() async throws {
    let help = try await Home().oppi("demo", "--help")
    #expect(FakeServer.vocabulary.count > 10)
    for row in FakeServer.vocabulary {
      let line = help.outputLines.first { $0.hasPrefix("  \(row.word)  ") }
      #expect(line?.hasSuffix(row.effect) == true, "\(row)")
    }
  }

  @Test("oppi without a command names the demo while no server is paired")
  func firstSteps() async throws {
    let home = try Home()
    let unpaired = try await home.oppi()
    #expect(unpaired.status == 64, "\(unpaired)")
    #expect(unpaired.errors.contains("No server is paired yet."), "\(unpaired)")
    #expect(unpaired.errorLines.contains { $0.hasSuffix(": oppi demo") }, "\(unpaired)")
    _ = try await home.paired(.multiplexedHTTP)
    let paired = try await home.oppi()
    #expect(paired.errors.contains("Usage: oppi"), "\(paired)")
    #expect(!paired.errors.contains("No server is paired"), "\(paired)")
  }
}
