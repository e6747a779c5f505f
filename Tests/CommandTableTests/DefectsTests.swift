// SPDX-License-Identifier: MIT

import CommandTable
import TestSupport
import Testing

@Suite("Defects of a table")
struct DefectsTests {
  private typealias Command = SampleTool.Command

  private struct Options: Sendable {
    var flag = false
    var text = ""
    var texts: [String] = []
    var other: String?
  }

  /// A table of a correct command and the given ones.
  private func tool(
    _ commands: [Command],
    globals: [Argument<SampleGlobals>] = [],
    topics: [HelpTopic] = [],
    topicPages: [TopicPage] = []
  ) -> SampleTool.Tool {
    SampleTool.Tool(
      name: "oppi",
      version: "1",
      summary: "Do things",
      globals: SampleGlobals(),
      globalArguments: globals,
      commands: commands + [command("good")],
      groups: ["G"],
      topics: topics,
      topicPages: topicPages,
      exitStatuses: [HelpRow("0", "Done")]
    )
  }

  private func command(
    _ name: String,
    _ summary: String = "Do it",
    discussion: String = "",
    example: String? = nil,
    exitStatuses: [Int32] = [],
    members: [HelpRow] = [],
    group: String = "G",
    arguments: [Argument<Options>] = []
  ) -> Command {
    Command(
      name,
      summary,
      discussion: discussion,
      examples: example.map { [($0, "Explain it")] } ?? [],
      exitStatuses: exitStatuses,
      members: members,
      group: group,
      options: Options(),
      arguments: arguments,
      run: { _, _ in }
    )
  }

  /// Expects the defects of a table with a command.
  private func expect(
    _ defects: String...,
    of command: Command,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(tool([command]).defects() == defects, sourceLocation: sourceLocation)
  }

  @Test("a correct table has no defects")
  func none() {
    #expect(SampleTool.tool.defects() == [])
    #expect(tool([]).defects() == [])
  }

  @Test("duplicate and illegal names are defects")
  func names() {
    #expect(tool([command("good")]).defects().contains("oppi: good is declared twice"))
    expect("oppi Bad: illegal name", of: command("Bad"))
    let rows: [Argument<Options>] = [
      .flag("x", short: "x", \.flag, "One"), .flag("x", short: "x", \.flag, "Two"),
      .flag("help", \.flag, "Three"),
    ]
    expect(
      "oppi a: --x is declared twice",
      "oppi a: --help is declared twice",
      "oppi a: -x is declared twice",
      of: command("a", arguments: rows)
    )
    expect(
      "oppi a: illegal name 'ö'",
      "oppi a: illegal letter of --ö",
      of: command("a", arguments: [.option("ö", short: "%", \.text, "One")])
    )
  }

  @Test("an unknown default command is a defect")
  func defaultVerb() {
    let verbs = [command("y")]
    expect(
      "oppi n: unknown default command",
      of: Command("n", "Do it", group: "G", defaultSubcommand: "x", subcommands: verbs)
    )
  }

  @Test("a bad summary and a missing placeholder are defects")
  func lines() {
    let long = String(repeating: "x", count: 61)
    expect("oppi a: summary is empty", of: command("a", ""))
    expect("oppi a: summary ends with a full stop", of: command("a", "Do."))
    expect("oppi a: summary is longer than 60 columns", of: command("a", long))
    expect(
      "oppi a: --x has several lines",
      "oppi a: --x has no placeholder",
      of: command("a", arguments: [.option("x", placeholder: "", \.text, "a\nb")])
    )
  }

  @Test("positional arguments in a wrong order are defects")
  func order() {
    let rows: [Argument<Options>] = [
      .positional("texts", \.texts, "One"), .positional("text", required: true, \.text, "Two"),
    ]
    expect(
      "oppi a: TEXT follows TEXTS...",
      "oppi a: required TEXT follows optional TEXTS",
      of: command("a", arguments: rows)
    )
    let color = tool([], globals: [.positional("color", \.color, "One")])
    #expect(color.defects() == ["global COLOR is positional"])
  }

  @Test(
    "an example that does not parse or runs another command is a defect",
    arguments: [
      ("oppi a --x y", "'oppi a --x y' does not parse: unknown option '--x'"),
      ("oppi good", "'oppi good' is not about this command"),
      ("oppi --version", "'oppi --version' is not about this command"),
      ("cat x", "'cat x' is not about this command"),
      ("oppi a | oppi b", "'oppi a | oppi b' does not parse: unknown command 'b'"),
    ]
  )
  func examples(line: String, defect: String) {
    expect("oppi a: \(defect)", of: command("a", example: line))
  }

  @Test("an unknown exit status, group or option is a defect")
  func references() {
    expect("oppi a: unexplained exit status 9", of: command("a", exitStatuses: [0, 9]))
    expect("oppi a: unknown group 'H'", of: command("a", group: "H"))
    expect(
      "prose names unknown option --verison",
      of: command("a", discussion: "Use --verison, --help, x--y and -- alone.")
    )
  }

  @Test("a duplicate member and a bad meaning are defects")
  func members() {
    let rows = [HelpRow("id", "Its id"), HelpRow("id", "Its id."), HelpRow("name", "")]
    expect(
      "oppi x: member id is declared twice",
      "oppi x: meaning of member id ends with a full stop",
      "oppi x: meaning of member name is empty",
      of: command("x", members: rows)
    )
  }

  @Test("a topic with a command's name or a wide line is a defect")
  func topics() {
    let wide = "  " + String(repeating: "x", count: 79)
    let topics = [HelpTopic(name: "good", summary: "Read it", body: wide)]
    #expect(
      tool([], topics: topics).defects() == [
        "help page 'good' is declared twice", "topic good is wider than 80 columns",
      ]
    )
    expect("oppi a: long help is wider than 80 columns", of: command("a", discussion: wide))
  }

  @Test("a duplicate manual page and a topic on two pages are defects")
  func topicPages() {
    func page(_ name: String, _ topics: String...) -> TopicPage {
      TopicPage(name: name, section: 5, summary: "Read it.", topics: topics, parts: [])
    }
    let topics = [HelpTopic(name: "t", summary: "Read it", body: "Text.")]
    #expect(
      tool([], topics: topics, topicPages: [page("x", "t", "u"), page("x", "t")]).defects() == [
        "topic 't' is on two pages of the manual", "the manual has unknown topic 'u'",
        "page x(5) is declared twice", "page x ends with a full stop",
        "page x ends with a full stop",
      ]
    )
  }
}

@Suite("Shell lines")
struct ShellLineTests {
  @Test(
    "words and commands are split as a shell does",
    arguments: [
      ("", [[]]),
      ("a  b", [["a", "b"]]),
      ("a 'b c' \"d 'e'\" f'g'\"h\"", [["a", "b c", "d 'e'", "fgh"]]),
      ("a '' \"\"", [["a", "", ""]]),
      ("a b\\ c '\\' \"\\\"\"", [["a", "b c", "\\", "\""]]),
      ("a | b; c > d", [["a"], ["b"], ["c"], ["d"]]),
      ("a 'x | y' # c", [["a", "x | y"]]),
      ("a b#c", [["a", "b#c"]]),
    ]
  )
  func commands(line: String, expected: [[String]]) {
    #expect(ShellLine(line).commands == expected)
  }
}
