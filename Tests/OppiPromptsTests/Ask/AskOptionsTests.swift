// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel
import OppiWire
import Testing

@testable import OppiClient
@testable import OppiPrompts
@testable import OppiTestSupport

@Suite struct AskOptionsTests {
  private func parsed(_ words: [String]) async throws -> Ask.Options {
    try await options(from: words, over: Ask.Options(), Ask.arguments, validate: Ask.validate)
  }

  @Test("the words of the prompt keep their order")
  func order() async throws {
    var expected = Ask.Options()
    expected.words = ["fix", "the test"]
    #expect(try await parsed(["fix", "the test"]) == expected)
  }

  @Test("each option has its field")
  func fields() async throws {
    var expected = Ask.Options()
    expected.workspaces = ["api", "web"]
    expected.prompt.model = "anthropic/claude"
    expected.prompt.thinking = .high
    expected.images = ["a.png", "b.png"]
    expected.prompt.title = "nightly"
    expected.isWaiting = true
    expected.onAsk = .fail
    expected.desktop = .never
    expected.isDryRun = true
    expected.words = ["go"]
    let words = [
      "-w", "api", "--workspace=web", "-m", "anthropic/claude", "-t", "high", "--image", "a.png",
      "--image", "b.png", "--name", "nightly", "--wait", "--on-ask", "fail", "--gui", "never", "-n",
      "go",
    ]
    #expect(try await parsed(words) == expected)
  }

  @Test("the options of the outbox have their fields")
  func outbox() async throws {
    var expected = Ask.Options()
    expected.isQueueing = true
    expected.expiry = .seconds(7200)
    expected.key = OutboxKey("nightly")
    expected.file = "-"
    let words = ["--queue", "--expires", "2h", "--key", "nightly", "-F", "-"]
    #expect(try await parsed(words) == expected)
  }

  @Test("the options of a live view in an existing session have their fields")
  func oldSession() async throws {
    var expected = Ask.Options()
    expected.session = try SessionName(argument: "last")
    expected.isFollowing = true
    expected.isPlain = true
    expected.words = ["and now the docs", "-"]
    let words = ["-s", "last", "--follow", "--plain", "and now the docs", "-"]
    #expect(try await parsed(words) == expected)
  }

  @Test(
    "each conflict of options has a message",
    arguments: [
      ("-s last -w api go", "--workspace requires a new session; it cannot be used with --session"),
      ("-s last -m gpt go", "--model requires a new session; it cannot be used with --session"),
      ("-s last --name x go", "--name requires a new session; it cannot be used with --session"),
      ("--wait --follow go", "--follow includes --wait; give only one of them"),
      ("--follow -w a -w b go", "--follow shows one turn; use --wait with several -w"),
      ("--on-ask fail go", "--on-ask requires --wait or --follow"),
      ("--on-ask deny --queue go", "--on-ask requires --wait or --follow"),
      ("--wait --queue go", "--queue and --key cannot be used with --wait or --follow"),
      ("--follow --key k go", "--queue and --key cannot be used with --wait or --follow"),
      ("--queue --expires 999ms go", "--expires expects 1s or more"),
      ("--expires 1s go", "--expires requires --queue"),
      ("--key k -w a -w b go", "--key requires a single -w"),
      ("--again 0", "--again takes a number from 'oppi history', not a prompt"),
      ("--again 1 2", "--again takes a number from 'oppi history', not a prompt"),
      ("--again go", "--again takes a number from 'oppi history', not a prompt"),
      ("--again -F f", "--again takes a number from 'oppi history', not a prompt"),
      ("--again --image f", "--again takes a number from 'oppi history', not a prompt"),
      ("-F f go", "give the prompt either with --file or on the command line"),
      ("- go", "- (standard input) must be the last argument"),
      ("--wait", "no prompt"),
    ]
  )
  func contradiction(line: String, message: String) async {
    let words = line.split(separator: " ").map(String.init)
    let error = await #expect(throws: UsageError.self) { try await parsed(words) }
    #expect(error?.message == message)
  }

  @Test(
    "options that only seem to conflict are accepted",
    arguments: [
      "--on-ask wait go", "--queue --expires 1s go", "--key k -w a go", "--again", "--again 2",
      "-w a -w b --wait go", "go -", "-", "-F f", "-s last --wait --on-ask deny go",
    ]
  )
  func accepted(line: String) async throws {
    _ = try await parsed(line.split(separator: " ").map(String.init))
  }
}
