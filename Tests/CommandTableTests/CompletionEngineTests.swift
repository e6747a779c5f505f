// SPDX-License-Identifier: MIT

import CommandTable
import Testing

@Suite("Completion")
struct CompletionEngineTests {
  private static func dynamic(_ kind: String) -> [CompletionCandidate] {
    switch kind {
    case "workspace":
      [
        CompletionCandidate("home:work", "Laptop"), CompletionCandidate("Home office"),
        CompletionCandidate("--dash"),
      ]
    case "session": [CompletionCandidate("abc", "Fix it"), CompletionCandidate("-Cz1", "Old")]
    case "server": [CompletionCandidate("laptop"), CompletionCandidate("-nas")]
    default: []
    }
  }

  private func answer(_ words: [String]) -> CompletionAnswer {
    CompletionEngine.candidates(words: words, in: SampleTool.tool, dynamic: Self.dynamic)
  }

  private func values(_ words: [String]) -> [String]? {
    guard case .candidates(let candidates) = answer(words) else { return nil }
    return candidates.map(\.value)
  }

  private static let globals = [
    "--json", "--quiet", "--verbose", "--color", "--timeout", "--help", "--version",
  ]

  @Test(
    "commands and verbs are completed",
    arguments: [
      ([], ["ask", "sessions", "stop", "servers", "schedule", "completions"]),
      ([""], ["ask", "sessions", "stop", "servers", "schedule", "completions"]),
      (["s"], ["sessions", "stop", "servers", "schedule"]),
      (["SE"], ["sessions", "servers"]),
      (["l"], []),
      (["__"], []),
      (["--json", "a"], ["ask"]),
      (["--", "a"], ["ask"]),
      (["servers", ""], ["list", "rename"]),
      (["schedule", "r"], ["remove"]),
      (["nope", ""], []),
      (["nope", "-"], []),
    ]
  )
  func commands(words: [String], expected: [String]) {
    #expect(values(words) == expected)
  }

  @Test(
    "options that are not given yet are completed",
    arguments: [
      (["-"], globals),
      (["ask", "--w"], ["--workspace", "--wait"]),
      (["ask", "--wait", "--w"], ["--workspace"]),
      (["ask", "-w", "x", "--w"], ["--workspace", "--wait"]),
      (["ask", "-n", "--dr"], []),
      (["ask", "--ke"], []),
      (["ask", "--J"], ["--json"]),
      (["--json", "ask", "--j"], []),
      (["ask", "prompt", "--f"], ["--file", "--follow"]),
      (["ask", "--nope", "--f"], ["--file", "--follow"]),
      (["servers", "-"], ["--offline"] + globals),
      (["servers", "--offline", "-"], globals),
      (["stop", "--"], ["--session"] + globals),
      (["stop", "-"], ["--session"] + globals + ["-Cz1"]),
      (["ask", "-n"], ["-n"]),
      (["ask", "-qw"], ["-qw"]),
      (["ask", "-x"], []),
      (["ask", "--", "-"], []),
      (["ask", ""], []),
    ]
  )
  func options(words: [String], expected: [String]) {
    #expect(values(words) == expected)
  }

  @Test(
    "option values are completed, attached or not",
    arguments: [
      (["ask", "-w", ""], ["home:work", "Home office", "--dash"]),
      (["ask", "-w", "ho"], ["home:work"]),
      (["ask", "-w", "HO"], ["home:work", "Home office"]),
      (["ask", "-w", "home:w"], ["home:work"]),
      (["ask", "-w", "--"], ["--dash"]),
      (["ask", "--workspace", "H"], ["Home office"]),
      (["ask", "--workspace=ho"], ["--workspace=home:work"]),
      (
        ["ask", "--workspace="],
        ["--workspace=home:work", "--workspace=Home office", "--workspace=--dash"]
      ),
      (["ask", "-who"], ["-whome:work"]),
      (["ask", "-w=ho"], ["-w=home:work"]),
      (["ask", "-nwho"], ["-nwhome:work"]),
      (["ask", "-qw", "ho"], ["home:work"]),
      (["ask", "-t", "m"], ["medium"]),
      (["ask", "--thinking=h"], ["--thinking=high"]),
      (["--color", ""], ["auto", "always", "never"]),
      (["ask", "--color=a"], ["--color=auto", "--color=always"]),
      (["ask", "-s", "-"], ["-Cz1"]),
      (["ask", "-m", ""], []),
      (["ask", "--json="], []),
      (["ask", "--nope="], []),
      (["ask", "-F/"], []),
    ]
  )
  func values(words: [String], expected: [String]) {
    #expect(values(words) == expected)
  }

  @Test(
    "positional arguments are completed in order",
    arguments: [
      (["sessions", "ho"], ["home:work"]),
      (["sessions", ""], ["home:work", "Home office"]),
      (["sessions", "--", ""], ["home:work", "Home office", "--dash"]),
      (["sessions", "home", ""], []),
      (["stop", ""], ["abc", "-Cz1"]),
      (["stop", "-C"], ["-Cz1"]),
      (["stop", "--", "-"], ["-Cz1"]),
      (["stop", "--session", "a"], ["abc"]),
      (["servers", "rename", ""], ["laptop"]),
      (["servers", "rename", "laptop", ""], []),
      (["completions", "a"], ["auto", "always"]),
    ]
  )
  func positionals(words: [String], expected: [String]) {
    #expect(values(words) == expected)
  }

  @Test(
    "the shell completes files and folders",
    arguments: [
      (["ask", "-F", "x"], .files), (["ask", "--file=x"], .files), (["ask", "--file", ""], .files),
      (["completions", "-d", ""], .directories), (["completions", "--folder=/t"], .directories),
    ] as [([String], CompletionAnswer)]
  )
  func files(words: [String], expected: CompletionAnswer) {
    #expect(answer(words) == expected)
  }

  @Test("candidates have descriptions")
  func descriptions() {
    #expect(answer(["as"]) == .candidates([CompletionCandidate("ask", "Send a prompt")]))
    #expect(
      answer(["ask", "--wa"]) == .candidates([CompletionCandidate("--wait", "Wait for the answer")])
    )
    #expect(answer(["stop", "a"]) == .candidates([CompletionCandidate("abc", "Fix it")]))
  }

  @Test(
    "the parser accepts each candidate",
    arguments: [
      ["stop"], ["stop", "--session"], ["sessions"], ["sessions", "--"], ["completions"],
      ["servers", "rename"], ["ask", "-w"], ["ask", "-s"], ["ask", "--color"], ["servers"],
    ]
  )
  func offersParse(words: [String]) throws {
    let offers = try #require(values(words + [""]))
    #expect(!offers.isEmpty)
    for offer in offers where offer != "rename" {
      #expect(throws: Never.self) { try SampleTool.tool.parse(words + [offer]) }
    }
  }

  @Test("an answer has one line per candidate, and no candidate breaks a line")
  func text() {
    let candidates = [
      CompletionCandidate("a b", "first\nline\t!"), CompletionCandidate("c"),
      CompletionCandidate("d\te"), CompletionCandidate("f\ng"),
    ]
    #expect(CompletionAnswer.candidates(candidates).text == "a b\tfirstline!\nc\t\n")
    #expect(CompletionAnswer.candidates([]).text == "")
    #expect(CompletionAnswer.files.text == ":files\n")
    #expect(CompletionAnswer.directories.text == ":directories\n")
  }
}
