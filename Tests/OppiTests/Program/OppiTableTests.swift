// SPDX-License-Identifier: MIT

import CommandTable
import Foundation
import TestSupport
import Testing

@testable import Oppi
@testable import OppiClient
@testable import OppiPrompts
@testable import OppiTestSupport

@Suite struct OppiTableTests {
  @Test("the table has no defects")
  func defects() {
    #expect(OppiTable.tool.defects().isEmpty)
  }

  private static var row: Regex<(Substring, Substring)> {
    /(?:= |\{\s+)(?:Command|Servers\.command|Schedules\.verb|several)\(\s*"([^"]+)"/
  }

  @Test("every command file has a row")
  func everyFileHasARow() throws {
    let folder = URL.package.appending(path: "Sources")
    let files = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
    let declarations = try files.filter { $0.hasSuffix(".swift") }.flatMap { file in
      try String(contentsOf: folder.appending(path: file), encoding: .utf8)
        .matches(of: Self.row)
        .map { String($0.output.1) }
    }
    func names(_ commands: [Command]) -> [String] {
      commands.flatMap { [$0.name] + names($0.subcommands) }
    }
    #expect(declarations.sorted() == names(OppiTable.commands).sorted())
  }

  @Test("a terminal is read only for a prompt, an invite, and by what asks all questions")
  func oneQuestion() throws {
    let folder = URL.package.appending(path: "Sources")
    let files = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
    let reading = try files.filter { file in
      try file.hasSuffix(".swift")
        && String(contentsOf: folder.appending(path: file), encoding: .utf8)
          .contains(/standardInput\(limit:/)
    }
    // Others would take for an answer what was typed before the question.
    #expect(
      reading.sorted() == [
        "Oppi/Pair/Pair.swift", "OppiClient/Command/Context+Input.swift",
        "OppiPrompts/Ask/AskInput.swift", "OppiPrompts/Shortcuts/Run.swift",
      ]
    )
  }

  @Test(
    "a missing argument is explained with an example",
    arguments: [
      (["stop"], "give a session id, the start of an id, or last, for example: oppi stop last"),
      (["search"], "give the text to search for, for example: oppi search flaky test"),
      (["approve"], "give a request id, for example: oppi approve 9T1aeoZLDYNQ"),
      (["answer"], ", for example: oppi answer CdJR04ap"),
    ]
  )
  func missingWords(words: [String], hint: String) {
    let error = #expect(throws: UsageError.self) { try OppiTable.tool.parse(words) }
    #expect(error?.hint?.hasSuffix(hint) == true, "\(String(describing: error))")
  }

  @Test(
    "a command name of other tools leads to the equivalent command",
    arguments: [
      ("version", "oppi --version"), ("list", "oppi sessions"), ("login", "oppi pair"),
      ("reply", "oppi ask -s SESSION"), ("cost", "oppi history --costs"),
      ("costs", "oppi history --costs"), ("usage", "oppi history --costs"),
      ("budget", "oppi history --costs"), ("retry", "oppi ask --again"),
      ("retry", "oppi outbox retry"), ("top", "oppi console"), ("dashboard", "oppi console"),
      ("ui", "oppi console"), ("tail", "oppi follow"), ("continue", "oppi chat -s"),
      ("open", "oppi chat -s"), ("rename", "oppi servers rename"), ("diff", "oppi show"),
      ("whoami", "oppi servers devices"), ("notify", "oppi watch"),
      ("disconnect", "oppi servers forget"), ("uninstall", "oppi setup --remove"),
      ("update", "oppi setup"), ("delete", "oppi sessions delete SESSION"),
    ]
  )
  func advice(word: String, command: String) {
    let error = #expect(throws: UsageError.self) { try OppiTable.tool.parse([word]) }
    #expect(error?.hint?.contains(command) == true, "\(String(describing: error))")
  }

  @Test("the hints for command names of other tools name commands that exist")
  func adviceIsValid() throws {
    let words = OppiTable.otherWords.flatMap(\.words)
    #expect(Set(words).count == words.count)
    #expect(Set(words).isDisjoint(with: OppiTable.commands.map(\.name)))
    for (_, hint) in OppiTable.otherWords {
      let lines = hint.split(separator: "oppi ").dropFirst()
      #expect(!lines.isEmpty, "\(hint)")
      for line in lines where line != "--version" {
        let end = [",", " or"].compactMap { line.firstRange(of: $0)?.lowerBound }.min()
        // A placeholder that has to be a number.
        let words = line[..<(end ?? line.endIndex)].split(separator: " ")
          .map { $0 == "NUMBER" ? "1" : String($0) }
        #expect(throws: Never.self, "\(words)") { try OppiTable.tool.parse(words) }
      }
    }
  }

  @Test("--again takes its number also after an equals sign, and nothing else")
  func againJoined() async throws {
    for words in [["--again=999"], ["--again", "999"], ["-w", "demo", "--again=999"]] {
      let parsed = try await options(from: words, over: Ask.Options(), Ask.arguments)
      #expect(parsed.isAgain && parsed.words == ["999"], "\(words)")
    }
    for words in [["--again=x"], ["--again="], ["--again=1", "2"], ["--wait=1", "x"]] {
      #expect(throws: UsageError.self, "\(words)") { try OppiTable.tool.parse(["ask"] + words) }
    }
  }

  @Test(
    "the program's help fits a screen, and names every command and topic",
    arguments: [
      HelpForm.short, .long,
    ]
  )
  func oneScreen(form: HelpForm) throws {
    let text = try #require(Help.text(for: [], in: OppiTable.tool, form: form, width: 80))
    #expect(text.split(separator: "\n", omittingEmptySubsequences: false).count <= 24, "\(text)")
    let words = Set(text.split { !$0.isLetter && $0 != "-" }.map(String.init))
    let commands = OppiTable.tool.root.visibleSubcommands.filter(\.isListed).map(\.name)
    let names = commands + OppiTable.tool.topics.map(\.name)
    #expect(names.filter { !words.contains($0) } == [])
  }

  @Test("a time limit of zero is rejected")
  func noTime() {
    for zero in ["0", "0s", "0.0001"] {
      let words = ["sessions", "--timeout", zero]
      let error = #expect(throws: UsageError.self) { try OppiTable.tool.parse(words) }
      #expect(error?.message == "--timeout expects more than 0s, not '\(zero)'")
    }
    #expect(throws: Never.self) { try OppiTable.tool.parse(["sessions", "--timeout", "1ms"]) }
  }

  @Test("short help fits a screen of 80 columns")
  func helpFits() throws {
    let help = try #require(Help.text(for: [], in: OppiTable.tool, form: .short, width: 80))
    #expect(help.split(separator: "\n").allSatisfy { $0.count <= 80 })
    #expect(help.split(separator: "\n").count <= 50)
  }

  @Test(
    "the long help matches its snapshot",
    arguments: ["", "ask", "status", "workspaces", "pair", "servers", "config"]
  )
  func helpSnapshots(command: String) throws {
    let path = command.isEmpty ? [] : [command]
    let help = try #require(Help.text(for: path, in: OppiTable.tool, form: .long, width: 80))
    try Snapshot.check(help, "help-\(command.isEmpty ? "oppi" : command).txt")
  }
}
