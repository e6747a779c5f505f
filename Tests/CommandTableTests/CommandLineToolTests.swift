// SPDX-License-Identifier: MIT

import CommandTable
import Testing

@Suite("Parsing a command line")
struct CommandLineToolTests {
  private static func ask(_ change: (inout AskOptions) -> Void) -> AskOptions {
    var options = AskOptions()
    change(&options)
    return options
  }

  // MARK: - Options

  @Test(
    "every spelling of an option fills the same field",
    arguments: [
      (["ask"], ask { _ in }),
      (["ask", "--model", "big"], ask { $0.model = "big" }),
      (["ask", "--model=big"], ask { $0.model = "big" }),
      (["ask", "-m", "big"], ask { $0.model = "big" }),
      (["ask", "-mbig"], ask { $0.model = "big" }),
      (["ask", "-m=big"], ask { $0.model = "big" }),
      (["ask", "-m==big"], ask { $0.model = "=big" }),
      (["ask", "--model==big"], ask { $0.model = "=big" }),
      (["ask", "--model="], ask { $0.model = "" }),
      (["ask", "-m="], ask { $0.model = "" }),
      (["ask", "--model", ""], ask { $0.model = "" }),
      (["ask", "--wait"], ask { $0.wait = true }),
      (["ask", "-n"], ask { $0.dryRun = true }),
      (["ask", "-nmbig"], ask { ($0.dryRun, $0.model) = (true, "big") }),
      (["ask", "-nm", "big"], ask { ($0.dryRun, $0.model) = (true, "big") }),
      (["ask", "-nm=big"], ask { ($0.dryRun, $0.model) = (true, "big") }),
      (["ask", "--thinking", "high"], ask { $0.level = .high }),
      (["ask", "--thinking", "minimal"], ask { $0.level = .minimal }),
      (["ask", "--key", "k1"], ask { $0.key = "k1" }),
    ] as [([String], AskOptions)]
  )
  func option(words: [String], expected: AskOptions) async throws {
    #expect(try await SampleTool.options(words) == expected)
  }

  @Test(
    "a value is used verbatim, even if it looks like an option",
    arguments: ["-q", "--json", "--", "-", "--help", "-h", "a b", "=", "\u{301}x", "\r\n", "é"]
  )
  func verbatimValue(value: String) async throws {
    let expected = Self.ask { $0.model = value }
    #expect(try await SampleTool.options(["ask", "--model", value]) == expected)
    #expect(try await SampleTool.options(["ask", "-m", value]) == expected)
    #expect(try await SampleTool.options(["ask", "--model=\(value)"]) == expected)
  }

  @Test("the last occurrence wins, and a repeatable option keeps all")
  func repetition() async throws {
    let words = ["ask", "-m", "a", "-w", "x", "--model=b", "--workspace", "y", "-wz"]
    let expected = Self.ask { ($0.model, $0.workspaces) = ("b", ["x", "y", "z"]) }
    #expect(try await SampleTool.options(words) == expected)
  }

  @Test("the first occurrence of a repeatable option replaces the default")
  func repeatableDefault() async throws {
    struct Options: Sendable, Equatable { var tags = ["old"] }
    let command = CommandSpec<Journal, Void>(
      "tag",
      "Tag",
      options: Options(),
      arguments: [.option("tag", \.tags, "A tag")],
      run: { options, journal in await journal.write(options) }
    )
    let tool = CommandLineTool(
      name: "t",
      version: "1",
      summary: "T",
      globals: SampleGlobals(),
      globalArguments: [],
      commands: [command]
    )
    let journal = Journal()
    for words in [["tag"], ["tag", "--tag", "a", "--tag", "b"]] {
      guard case .run(_, _, let work) = try tool.parse(words) else { continue }
      try await work(journal)
    }
    #expect(await journal.entries as? [Options] == [Options(), Options(tags: ["a", "b"])])
  }

  // MARK: - Positional arguments

  @Test(
    "positional arguments may be mixed with options",
    arguments: [
      (
        ["ask", "fix", "-w", "x", "the", "bug"],
        ask { ($0.workspaces, $0.prompt) = (["x"], ["fix", "the", "bug"]) }
      ),
      (["ask", "--", "-w", "--", "x"], ask { $0.prompt = ["-w", "--", "x"] }),
      (["ask", "-"], ask { $0.prompt = ["-"] }),
      (["ask", ""], ask { $0.prompt = [""] }),
      (
        ["ask", "a", "--wait", "--", "--wait"],
        ask { ($0.wait, $0.prompt) = (true, ["a", "--wait"]) }
      ),
      (["--", "ask", "-w"], ask { $0.prompt = ["-w"] }),
    ] as [([String], AskOptions)]
  )
  func positional(words: [String], expected: AskOptions) async throws {
    #expect(try await SampleTool.options(words) == expected)
  }

  @Test("positional arguments fill in order and keep their defaults")
  func positionalOrder() async throws {
    #expect(
      try await SampleTool.options(["servers", "rename", "a"])
        == RenameOptions(name: "a", newName: "home")
    )
    #expect(
      try await SampleTool.options(["servers", "rename", "a", "b"])
        == RenameOptions(name: "a", newName: "b")
    )
    #expect(
      try await SampleTool.options(["schedule", "add", "a", "8:00", "9:00"])
        == ScheduleOptions(name: "a", times: ["8:00", "9:00"])
    )
  }

  @Test("an option and a positional argument may share a name")
  func sharedName() async throws {
    let stopped = try await SampleTool.options(["stop", "--session", "s1"], as: StopOptions.self)
    #expect(stopped.session)
    #expect(stopped.id.text == "s1")
  }

  // MARK: - Identifiers

  @Test(
    "an id may begin with a hyphen",
    arguments: [
      ["stop", "-CzT5M5I"], ["stop", "--", "-CzT5M5I"], ["stop", "-CzT5M5I", "--session"],
      ["stop", "--session", "-CzT5M5I"], ["-q", "stop", "-CzT5M5I", "-v"],
    ]
  )
  func hyphenatedPositional(words: [String]) async throws {
    #expect(try await SampleTool.options(words, as: StopOptions.self).id.text == "-CzT5M5I")
  }

  @Test(
    "the value of an option may be an id that begins with a hyphen",
    arguments: [
      ["-s", "-CzT5M5I"], ["-s-CzT5M5I"], ["--session=-CzT5M5I"], ["--session", "-CzT5M5I"],
    ]
  )
  func hyphenatedValue(words: [String]) async throws {
    #expect(
      try await SampleTool.options(["ask"] + words, as: AskOptions.self).session?.text == "-CzT5M5I"
    )
  }

  @Test("a word of known short options is not an id", arguments: ["-qv", "-q", "-vq"])
  func clusterBeforeID(word: String) async throws {
    #expect(
      try await SampleTool.options(["stop", word, "s1"], as: StopOptions.self).id.text == "s1"
    )
  }

  // MARK: - Rows

  @Test("rows contain the data for help")
  func rows() throws {
    let ask = try #require(SampleTool.tool.commands(along: ["ask"])?.last)
    let thinking = try #require(ask.options.first { $0.name == "thinking" })
    #expect(thinking.defaultText == "medium")
    #expect(thinking.choices == ["low", "medium", "high"])
    #expect(thinking.completion == .choices(["low", "medium", "high"]))
    #expect(SampleTool.tool.commands(along: ["servers", "nope"]) == nil)
  }
}
