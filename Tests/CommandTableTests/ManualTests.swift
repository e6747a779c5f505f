// SPDX-License-Identifier: MIT

import CommandTable
import TestSupport
import Testing

@Suite("Manual", .fewAtOnce)
struct ManualTests {
  private static let manual = Manual(of: SampleTool.tool, date: "November 21, 2026")

  private static func source(_ name: String) -> String {
    manual.page(named: name)?.source ?? ""
  }

  @Test("the tool, each visible command and each topic have a page")
  func names() {
    #expect(
      Self.manual.pages.map(\.fileName) == [
        "oppi.1", "oppi-ask.1", "oppi-sessions.1", "oppi-stop.1", "oppi-servers.1",
        "oppi-schedule.1", "oppi-completions.1", "oppi-durations.7",
      ]
    )
  }

  @Test(
    "a page is found with or without the program's name and its section",
    arguments: [
      ("oppi", "oppi.1"), ("oppi.1", "oppi.1"), ("ask", "oppi-ask.1"), ("oppi-ask", "oppi-ask.1"),
      ("ask.1", "oppi-ask.1"), ("oppi-ask.1", "oppi-ask.1"), ("durations", "oppi-durations.7"),
      ("durations.7", "oppi-durations.7"),
    ]
  )
  func lookup(name: String, file: String) {
    #expect(Self.manual.page(named: name)?.fileName == file)
  }

  @Test(
    "an unknown page is not found",
    arguments: ["", ".", "aks", "ask.5", "durations.1", "oppi-", "servers list", "__complete"]
  )
  func unknown(name: String) { #expect(Self.manual.page(named: name) == nil) }

  @Test("an unknown name has close names, also with the program's name")
  func suggestions() {
    #expect(Self.manual.closestNames(to: "aks") == ["ask"])
    #expect(Self.manual.closestNames(to: "oppi-sesions.1") == ["sessions"])
    #expect(Self.manual.closestNames(to: "xyzzy") == [])
  }

  @Test("pages of a program with another name use that name, also in references")
  func otherName() {
    let manual = Manual(of: SampleTool.tool, for: "oppi-client", date: "November 21, 2026")
    #expect(manual.page(named: "ask")?.fileName == "oppi-client-ask.1")
    #expect(manual.page(named: "oppi-client-ask")?.fileName == "oppi-client-ask.1")
    for name in ["oppi", "oppi-client", "oppi-client.1"] {
      #expect(manual.page(named: name)?.fileName == "oppi-client.1")
    }
    let ask = manual.page(named: "ask")?.source ?? ""
    #expect(ask.contains(".Nm oppi-client-ask\n") && ask.hasSuffix(".Xr oppi-client 1\n"))
    #expect(ask.contains(".Nm oppi\n.Cm ask\n"))
  }

  @Test("hidden rows are left out, and no line is long", arguments: manual.pages.map(\.fileName))
  func restraint(name: String) {
    let page = Self.source(name)
    #expect(!page.contains("__complete") && !page.contains("-key"))
    #expect(page.split(separator: "\n").allSatisfy { $0.utf8.count <= 80 })
  }

  @Test("lexgrog can read the pages", .needs("lexgrog"))
  func lexgrog() async throws {
    let scratch = try Scratch()
    for name in ["oppi.1", "oppi-ask.1", "oppi-durations.7"] {
      try scratch.write(Self.source(name), to: name)
    }
    let result = try await scratch.run("lexgrog", ["oppi.1", "oppi-ask.1", "oppi-durations.7"])
    #expect(
      result.output == """
        oppi.1: "oppi - Fire prompts at coding agents"
        oppi-ask.1: "oppi-ask - Send a prompt"
        oppi-durations.7: "oppi-durations - How to write durations"

        """
    )
  }
}

/// Pages about topics, and references to them.
@Suite("Manual, topics") struct ManualTopicTests {
  private func manual(pages: [TopicPage]) -> Manual<Journal, Void, SampleGlobals> {
    let command = SampleTool.Command(
      "send",
      "Send it",
      discussion: "See 'oppi get', (oppi help values) and 'oppi nothing'; 'oppi help' has more.",
      members: [HelpRow("id", "Its id")],
      group: "G",
      options: SessionsOptions(),
      arguments: [.option("limit", placeholder: "N", \.limit, "Show so many")],
      run: { _, _ in }
    )
    let other = SampleTool.Command(
      "get",
      "Get it",
      group: "G",
      options: NoOptions(),
      run: { _, _ in }
    )
    let tool = SampleTool.Tool(
      commands: [command, other],
      topics: [
        HelpTopic(name: "values", summary: "How to write", body: "As 'oppi get' does."),
        HelpTopic(name: "numbers", summary: "Numbers", explains: ["N"], body: "A number."),
        HelpTopic(
          name: "output",
          summary: "What is printed",
          explains: ["--json"],
          body: "JSON.",
          lists: [HelpList("send", [HelpRow("id", "Its id")])]
        ),
      ],
      topicPages: pages
    )
    #expect(tool.defects() == [])
    return Manual(of: tool, date: "November 21, 2026")
  }

  private static let page = TopicPage(
    name: "json",
    section: 5,
    summary: "JSON output",
    topics: ["output"],
    parts: [
      TopicPage.Part("DESCRIPTION", "JSON."),
      TopicPage.Part("FILES", files: [HelpRow("/a", "A file")]),
      TopicPage.Part("MEMBERS", lists: [HelpList("send", [HelpRow("id", "Its id")])]),
      TopicPage.Part("MORE", "See 'oppi send'."),
    ]
  )

  @Test("a page has its parts in order, and a topic without a page gets its own")
  func parts() {
    let manual = manual(pages: [Self.page])
    #expect(
      manual.pages.map(\.fileName)
        == [
          "oppi.1", "oppi-send.1", "oppi-get.1", "oppi-json.5", "oppi-values.7", "oppi-numbers.7",
        ]
    )
    #expect(
      manual.page(named: "output")?.source.hasSuffix(
        """
        .Sh NAME
        .Nm oppi-json
        .Nd JSON output
        .Sh DESCRIPTION
        JSON.
        .Sh FILES
        .Bl -tag -width Ds
        .It Pa /a
        A file.
        .El
        .Sh MEMBERS
        .Ss send
        .Bl -tag -width Ds
        .It Li id
        Its id.
        .El
        .Sh MORE
        See \\(aqoppi send\\(aq.
        .Sh SEE ALSO
        .Xr oppi 1 ,
        .Xr oppi-send 1

        """
      ) == true
    )
  }

  @Test("a command refers to the commands of its text and to the topics of its values and output")
  func references() {
    let source = manual(pages: [Self.page]).page(named: "send")?.source ?? ""
    #expect(
      source.hasSuffix(
        """
        .Sh SEE ALSO
        .Xr oppi 1 ,
        .Xr oppi-get 1 ,
        .Xr oppi-json 5 ,
        .Xr oppi-numbers 7 ,
        .Xr oppi-values 7

        """
      ),
      "\(source)"
    )
    #expect(source.contains("described in\n.Xr oppi-json 5 .\n"))
  }
}
