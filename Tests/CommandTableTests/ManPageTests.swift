// SPDX-License-Identifier: MIT

import CommandTable
import TestSupport
import Testing

@Suite("Man page", .fewAtOnce)
struct ManPageTests {
  private static let page = ManPage.mdoc(for: SampleTool.tool, date: "November 21, 2026")

  @Test("the page begins with what man -k reads")
  func opening() {
    let expected = """
      .Dd November 21, 2026
      .Dt OPPI 1
      .Os oppi 1.2.3
      .Sh NAME
      .Nm oppi
      .Nd Fire prompts at coding agents
      .Sh SYNOPSIS
      .Nm
      .Op Ar option ...
      .Ar command
      .Op Ar argument ...
      .Sh DESCRIPTION
      Sends a prompt to a workspace and says what became of it.
      .Pp
      Settings stand in a file:
      .Bd -literal -offset indent
        {\\(dqworkspace\\(dq: \\(dqhome\\(dq}
      .Ed
      .Sh GLOBAL OPTIONS

      """
    #expect(Self.page.hasPrefix(expected))
  }

  @Test("a command is a subsection with synopsis, arguments and examples")
  func command() {
    let expected = """
      .Ss oppi sessions
      .Nm oppi
      .Cm sessions
      .Op Fl n Ar N
      .Op Fl a
      .Op Ar WORKSPACE
      .Pp
      List sessions.
      .Pp
      Also called ls.
      .Bl -tag -width Ds
      .It Ar WORKSPACE
      Only this one.
      .It Fl n , Fl -limit Ar N
      Show at most so many (default: 30).
      .It Fl a , Fl -all
      Include ended sessions.
      .El
      .Ss oppi servers

      """
    #expect(Self.page.contains(expected))
    #expect(Self.page.contains(".Oo Fl w Ar WORKSPACE Oc Ns ...\n"))
    #expect(Self.page.contains("oppi ask \\-w home \\(aqfix the tests\\(aq\n"))
    #expect(Self.page.contains(".Ss oppi schedule add\n.Nm oppi schedule\n.Cm add\n.Ar NAME\n"))
    #expect(Self.page.contains(".Ar TIME ...\n"))
    #expect(Self.page.contains(".It Fl -animation , Fl -no-animation\n"))
  }

  @Test("hidden rows are left out and no line is long")
  func restraint() {
    #expect(!Self.page.contains("__complete"))
    #expect(!Self.page.contains("-key"))
    #expect(Self.page.split(separator: "\n").allSatisfy { $0.utf8.count <= 80 })
  }

  @Test("mandoc finds nothing to complain about", .needs("mandoc"))
  func mandoc() async throws {
    let result = try await Scratch().run(
      "mandoc",
      ["-T", "lint", "-W", "warning"],
      input: Self.page
    )
    #expect(result.transcript == "[exit 0]")
  }

  @Test("groff finds nothing to complain about", .needs("groff"))
  func groff() async throws {
    let options = ["-mandoc", "-Tutf8", "-ww", "-rLL=80n", "-z"]
    let result = try await Scratch().run("groff", options, input: Self.page)
    #expect(result.transcript == "[exit 0]")
  }

  @Test("the index of manuals can read the page", .needs("lexgrog"))
  func lexgrog() async throws {
    let scratch = try Scratch()
    try scratch.write(Self.page, to: "oppi.1")
    let result = try await scratch.run("lexgrog", ["oppi.1"])
    #expect(result.output == "oppi.1: \"oppi - Fire prompts at coding agents\"\n")
  }

  @Test("every visible command and option is in the page", .needs("mandoc"))
  func completeness() async throws {
    let page = try await Scratch().run("mandoc", ["-T", "markdown"], input: Self.page).output
    for command in SampleTool.tool.commands where !command.isHidden {
      #expect(page.contains(command.name))
      for option in command.options where !option.isHidden { #expect(page.contains(option.name)) }
      for verb in command.subcommands { #expect(page.contains("\(command.name) \(verb.name)")) }
    }
  }
}
