// SPDX-License-Identifier: MIT

import OppiHost
import TestSupport
import Testing

@Suite("oppi demo", .fewAtOnce) struct DemoTests {
  @Test("without a terminal the demo allows the push and ends with status 0")
  func automatic() async throws {
    let home = try Home()
    let outcome = try await home.oppi("demo", exits: 0)
    #expect((outcome.output + outcome.errors).contains("answer sent; "), "\(outcome)")
    #expect(outcome.output.contains("The branch is pushed."), "\(outcome)")
    #expect(outcome.output.contains(#""response":"You're welcome!"#), "\(outcome)")
    #expect(!outcome.errors.contains("[Y/n]"), "\(outcome)")
    let folders = try await home.shell("ls -d .config .local .cache")
    #expect(folders.output.isEmpty, "\(folders)")
  }

  @Test(
    "on a terminal the demo asks for a decision",
    arguments: [("n", "Not pushed: Blocked by user"), ("y", "branch is pushed.")]
  )
  func decided(key: String, answer: String) async throws {
    // The demo answers by itself after 10 s; a busy machine may need more to type.
    for isLast in [false, false, true] {
      let terminal = try ProgramOnTerminal([Executable.oppi, "demo"], in: Home(), rows: 60)
      try await terminal.see("[Y/n]")
      try await terminal.type("\(key)\r", see: "oppi answer")
      #expect(try await terminal.status() == 0)
      guard isLast || terminal.lines.contains(where: { $0.contains(answer) }) else { continue }
      return try await terminal.see(answer)
    }
  }

  @Test("demo --help lists the prompts that its server knows")
  func vocabulary() async throws {
    let help = try await Home().oppi("demo", "--help")
    #expect(ScriptedAgent.vocabulary.count > 10)
    for row in ScriptedAgent.vocabulary {
      let line = help.outputLines.first { $0.hasPrefix("  \(row.word)  ") }
      #expect(line?.hasSuffix(row.effect) == true, "\(row)")
    }
  }

  @Test("oppi without a command names the demo while no server is paired")
  func firstSteps() async throws {
    let home = try Home()
    let unpaired = try await home.oppi(exits: 64)
    #expect(unpaired.errors.contains("No server is paired yet."), "\(unpaired)")
    #expect(unpaired.errorLines.contains { $0.hasSuffix(": oppi demo") }, "\(unpaired)")
    _ = try await home.paired()
    let paired = try await home.oppi()
    #expect(paired.errors.contains("Usage: oppi"), "\(paired)")
    #expect(!paired.errors.contains("No server is paired"), "\(paired)")
  }
}
