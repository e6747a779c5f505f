// SPDX-License-Identifier: MIT

import FakeServer
import Foundation
import TestSupport
import Testing

/// The input and output of `oppi ask` and `oppi pair`, line by line.
@Suite(.fewAtOnce) struct InputTests {
  @Test("input that is not UTF-8 is 65, and nothing is sent")
  func notText() async throws {
    let (home, server) = try await Home.paired()
    try Data([0x66, 0xFC, 0x72, 0x0A]).write(to: home.folder.appending(path: "latin.txt"))
    for command in [
      "oppi ask -w demo - <latin.txt", "oppi ask -w demo words - <latin.txt",
      "oppi ask -w demo -F latin.txt", "oppi ask -w demo -F - <latin.txt",
    ] {
      let outcome = try await home.shell(command)
      #expect(outcome.status == 65, "\(outcome)")
      #expect(outcome.output.isEmpty && outcome.errors.contains("UTF-8"), "\(outcome)")
    }
    #expect(server.journal.messages.isEmpty)
    #expect(!server.journal.requests.contains { $0.path.hasSuffix("/sessions") })
  }

  @Test("arguments and standard input form one prompt, separated by a blank line")
  func wordsAndInput() async throws {
    let (home, server) = try await Home.paired()
    let words = ["ask", "-w", "demo", "look", "at this:", "-"]
    let outcome = try await home.oppi(words, input: "one\n\ntwo\n")
    #expect(outcome.status == 0, "\(outcome)")
    #expect(server.journal.runs.map(\.text) == ["look at this:\n\none\n\ntwo"])
  }

  @Test("an ask or a run that reads standard input refuses an empty one, and nothing is sent")
  func emptyInput() async throws {
    let (home, server) = try await Home.paired()
    let words = ["shortcuts", "add", "review", "-w", "demo", "--input", "Review: {{input}}"]
    #expect(try await home.oppi(words).status == 0)
    for command in [
      "oppi run review </dev/null", "echo | oppi run review",
      "oppi ask -w demo Review - </dev/null",
    ] {
      let outcome = try await home.shell(command)
      #expect(outcome.status == 65 && outcome.errors.contains("input is empty"), "\(outcome)")
    }
    #expect(!server.journal.requests.contains { $0.path.hasSuffix("/sessions") })
    let plan = try await home.shell("oppi run -n review </dev/null")
    #expect(plan.status == 0, "\(plan)")
  }

  @Test(
    "--timeout applies to a prompt or an invite that never ends, and nothing is sent",
    arguments: [
      "ask -w demo - <p", "ask -w demo words - <p", "ask -w demo -F p", "ask -w demo -F - <p",
      "ask -w demo --image p words", "pair - <p",
    ]
  )
  func endlessInput(line: String) async throws {
    let (home, server) = try await Home.paired()
    let outcome = try await home.shell(
      "mkfifo p; exec 3<>p; echo data >&3; oppi --timeout 300ms \(line)"
    )
    #expect(outcome.status == 124, "\(outcome)")
    #expect(outcome.errors.contains("nothing was sent"), "\(outcome)")
    #expect(!server.journal.requests.contains { $0.path.hasSuffix("/sessions") })
  }

  @Test(
    "on a terminal a complete invite ends the input without Ctrl-D",
    .needs("script"),
    arguments: [20, 76, 2000]
  )
  func pastedInvite(width: Int) async throws {
    let home = try Home()
    let server = try await Line.multiplexed.start()
    try home.write(server.makeInvite().url + "\n\necho never\n", to: "invite")
    // The input stays open: only the complete invite can end the reading.
    let outcome = try await home.shell(
      "mkfifo p; exec 3<>p; fold -w \(width) invite >&3; script -qec 'oppi pair -' /dev/null <p",
      environment: ["NO_COLOR": "1"]
    )
    #expect(outcome.status == 0, "\(outcome)")
    #expect(outcome.output.contains("Paste the invite"), "\(outcome)")
    #expect(outcome.output.contains("paired with studio"), "\(outcome)")
  }

  @Test("a pipe that is not read causes one warning, and the prompt is sent without it")
  func unreadPipe() async throws {
    let (home, server) = try await Home.paired()
    let outcome = try await home.shell("mkfifo p; exec 3<>p; echo data >&3; oppi ask -w demo hi <p")
    #expect(outcome.status == 0, "\(outcome)")
    #expect(outcome.outputLines.count == 1, "\(outcome)")
    let warnings = outcome.errorLines.filter { $0.contains("standard input was ignored") }
    #expect(warnings.count == 1 && outcome.errorLines.count == 2, "\(outcome)")
    #expect(server.journal.runs.map(\.text) == ["hi"])
    for input in ["mkfifo q; exec 3<>q; oppi ask -w demo hi <q", "oppi ask -w demo hi </dev/null"] {
      let quiet = try await home.shell(input)
      #expect(quiet.status == 0 && quiet.errorLines.count == 1, "\(quiet)")
    }
  }

  @Test("a 'last' that cannot be recorded causes a warning, and the prompt is still delivered")
  func lastCannotBeKept() async throws {
    let (home, server) = try await Home.paired()
    try FileManager.default.createDirectory(at: home.lastUsed, withIntermediateDirectories: true)
    for words in [["hi"], ["--wait", "hi"]] {
      let outcome = try await home.oppi(["ask", "-q", "-w", "demo"] + words)
      #expect(outcome.status == 0 && outcome.outputLines.count == 1, "\(outcome)")
      #expect(
        outcome.errorLines.count == 1 && outcome.errors.contains("as the last session"),
        "\(outcome)"
      )
    }
    #expect(server.journal.runs.count == 2)
    let last = try await home.oppi("ask", "-s", "last", "hi")
    #expect(last.status != 0 && !last.errors.contains("bug"), "\(last)")
  }
}
