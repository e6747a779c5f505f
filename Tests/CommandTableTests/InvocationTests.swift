// SPDX-License-Identifier: MIT

import CommandTable
import Testing

@Suite("Parsed command lines")
struct InvocationTests {
  // MARK: - Commands

  @Test(
    "commands are found by name and default verb",
    arguments: [
      (["sessions"], ["sessions"]),
      (["servers"], ["servers", "list"]),
      (["servers", "list"], ["servers", "list"]),
      (["servers", "--offline"], ["servers", "list"]),
      (["servers", "-qo"], ["servers", "list"]),
      (["schedule", "--json", "remove", "x"], ["schedule", "remove"]),
      (["__complete", "--", "ask", "-w", ""], ["__complete"]),
    ]
  )
  func path(words: [String], expected: [String]) throws {
    guard case .run(_, let path, _) = try SampleTool.tool.parse(words) else {
      Issue.record("no work for \(words)")
      return
    }
    #expect(path == expected)
  }

  // MARK: - Global options

  @Test(
    "global options work before and after the command",
    arguments: [
      ["--json", "-q", "--timeout", "5s", "ask", "x"],
      ["ask", "--json", "-q", "--timeout=5s", "x"],
      ["ask", "x", "--timeout", "5", "-q", "--json"],
      ["--json", "ask", "-qn", "x", "--timeout=5s"],
    ]
  )
  func globals(words: [String]) throws {
    guard case .run(let globals, _, _) = try SampleTool.tool.parse(words) else {
      Issue.record("no work for \(words)")
      return
    }
    #expect(globals == SampleGlobals(json: true, quiet: true, timeout: .seconds(5)))
  }

  @Test(
    "global options are read from a wrong line",
    arguments: [
      (["--json", "aks"], SampleGlobals(json: true)),
      (["aks", "-w", "x", "--json"], SampleGlobals(json: true)),
      (["ask", "--nope", "--json"], SampleGlobals(json: true)),
      (["ask", "--timeout", "soon", "--json"], SampleGlobals(json: true)),
      (["ask", "--json", "--model"], SampleGlobals(json: true)),
      (["ask", "--json=yes"], SampleGlobals()),
      (["ask", "--model", "--json"], SampleGlobals()),
      (["ask", "--", "--json"], SampleGlobals()),
      ([], SampleGlobals()),
    ]
  )
  func globalsIgnoringErrors(words: [String], expected: SampleGlobals) {
    #expect(SampleTool.tool.globalsIgnoringErrors(words) == expected)
  }

  // MARK: - Help and version

  @Test(
    "help is a result at any position",
    arguments: [
      (["-h"], [], .short), (["--help"], [], .long), (["--help", "ask"], ["ask"], .long),
      (["ask", "-h"], ["ask"], .short), (["ask", "-qh"], ["ask"], .short),
      (["ask", "-h", "--help"], ["ask"], .short), (["sessions", "--help"], ["sessions"], .long),
      (["servers", "--help"], ["servers"], .long), (["schedule", "-h"], ["schedule"], .short),
      (["ask", "--nope", "--help"], ["ask"], .long), (["stop", "--help"], ["stop"], .long),
      (["ask", "--wait", "--follow", "--help"], ["ask"], .long),
      (["--help", "ask", "--model"], ["ask"], .long), (["--help", "--version"], [], .long),
      (["ask", "--timeout", "soon", "-h"], ["ask"], .short),
    ] as [([String], [String], HelpForm)]
  )
  func help(words: [String], path: [String], form: HelpForm) throws {
    guard case .help(path, form) = try SampleTool.tool.parse(words) else {
      Issue.record("no help for \(words)")
      return
    }
  }

  @Test(
    "the version is a result at any position",
    arguments: [
      ["--version"], ["ask", "--version"], ["aks", "--version"], ["--version", "--help"],
    ]
  )
  func version(words: [String]) throws {
    guard case .version = try SampleTool.tool.parse(words) else {
      Issue.record("no version for \(words)")
      return
    }
  }

  @Test(
    "the version takes no argument",
    arguments: [["--version", "extra"], ["--version", "ask"]]
  )
  func versionOfNothing(words: [String]) {
    let error = #expect(throws: UsageError.self) { try SampleTool.tool.parse(words) }
    #expect(error?.kind == .unexpectedArgument(words[1]))
  }

  @Test("--help after -- is an ordinary word")
  func helpAsWord() async throws {
    let options = try await SampleTool.options(["ask", "--", "--help"], as: AskOptions.self)
    #expect(options.prompt == ["--help"])
  }
}
