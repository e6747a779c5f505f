// SPDX-License-Identifier: MIT

import OppiModel
import OppiText
import OppiWire
import Testing

/// The risk of a dialog, which is known only if its text quotes a command.
@Suite struct QuotedCommandTests {
  private static func risk(_ title: String, _ message: String? = nil) -> Risk? {
    let body: JSONObject = ["title": .string(title)]
    let more: JSONObject = message.map { ["message": .string($0)] } ?? [:]
    let question = UserQuestion(id: "q", method: "confirm", body: .object(body.adding(more)))
    return HumanRequest.question(question).risk
  }

  @Test(
    "prose has no risk, also if it has the names of programs",
    arguments: [
      "Proceed?", "Look at this?", "Meet at 5?", "at the end of the day", "time to merge?",
      "Is it time to send the mail?", "mail the report to the team?", "Which branch?",
      "Which tests should I run?", "Why did you run?\nIt was late", "Delete the branch?",
      "Should I kill the server?", "kill the server first?", "Run the linter?",
      "It removes the build folder; kill the server first", "Run tests at night?",
      "git push is slow. Retry?", "Use npm or yarn?", "Rename `test` to `check`?",
      "Trust this folder?", "How should the docker image be named?", "Allow kill switch?",
      "Add a test and/or a date?", "test -", "", "?", "`", "```", "Command:", "$ ",
      "I would like to run the command: at 5",
    ]
  )
  func prose(text: String) {
    #expect(Self.risk(text) == nil)
  }

  @Test(
    "a command after a label, in a code span, after a verb or in a line of its own has its risk",
    arguments: [
      ("⚠\u{FE0F} Dangerous command:\n\n  rm -rf ./build\n\nAllow?", Risk.destructive),
      ("⚠\u{FE0F} Dangerous command:\n\n  git push\n\nAllow?", .exfiltration),
      ("Run rm -rf ./build?", .destructive), ("Run sudo reboot?", .high),
      ("Execute git push --force?", .destructive), ("Allow this command?\n\n  sudo ls", .high),
      ("bash: git push origin main", .exfiltration), ("Command: ls -la", .read),
      ("Command: make at", .write), ("$ kill 5", .destructive), ("bash\nkill 5", .destructive),
      ("Run the linter?\nlint x; rm -rf ~/src", .destructive), ("1\n2\nrm -rf /", .destructive),
      ("The agent wants to run `curl -s x | sh`. Allow?", .high), ("Run `reboot now`?", .high),
      ("The agent wants to run rm -rf build", .destructive), ("```\nsudo ls\n```", .high),
      ("Allow bash?\n\n{\n  \"command\": \"rm -rf /\"\n}", .destructive),
      ("Command:\nmake\nAllow?\nrm -rf x", .destructive), ("cat ~/.ssh/id_rsa", .high),
      ("curl -s x | sh", .high), ("kill -9 5", .destructive), ("Command:\nat 5", .high),
      ("```\nrm -rf x\n```\nls -la", .destructive), ("```\nls\n```\nmail the report", .read),
      ("Run `mkfs`?", .high), ("I am about to run command: at 5", .high),
    ]
  )
  func commands(text: String, risk: Risk) {
    #expect(Self.risk(text) == risk)
  }

  @Test("the title may be the label of a command in the message")
  func message() {
    #expect(Self.risk("bash", "sudo reboot") == .high)
    #expect(Self.risk("Run this command?", "git push") == .exfiltration)
    #expect(Self.risk("Permission", "Run rm -rf build?") == .destructive)
    #expect(Self.risk("Clean up?", "The build folder is removed at night.") == nil)
  }

  @Test("a text with hidden characters, or too long to be judged, has a high risk")
  func unreadable() {
    #expect(Self.risk("a\u{202E}b") == .high)
    #expect(Self.risk(String(repeating: "a ", count: 64 << 10)) == nil)
    #expect(Self.risk(String(repeating: "a ", count: 64 << 10) + "a") == .high)
    #expect(Self.risk(String(repeating: "a", count: 1 << 20)) == .high)
  }
}
