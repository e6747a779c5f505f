// SPDX-License-Identifier: MIT

import CommandTable
import Testing

@Suite("Help")
struct HelpTests {
  private func page(_ path: [String], _ form: HelpForm, width: Int = 80) -> String? {
    Help.text(for: path, in: SampleTool.tool, form: form, width: width)
  }

  @Test("headings are styled, and nothing else")
  func headings() throws {
    let text = try #require(
      Help.text(for: ["ask"], in: SampleTool.tool, form: .long, width: 80) { "<\($0)>" }
    )
    let styled = text.split(separator: "<").dropFirst().map { String($0.prefix { $0 != ">" }) }
    #expect(
      styled == [
        "Usage:", "Arguments:", "Options:", "Global options:", "Examples:", "Exit status:",
      ]
    )
    #expect(text.contains("<Usage:> oppi ask [OPTION]... [PROMPT...]\n"))
  }

  @Test("an unlisted command has help, a manual page and completion, but is not in the overview")
  func unlisted() throws {
    func command(_ name: String, isListed: Bool) -> SampleTool.Command {
      SampleTool.Command(
        name,
        "Do it",
        group: "G",
        isListed: isListed,
        options: NoOptions(),
        run: { _, _ in }
      )
    }
    let tool = SampleTool.Tool(
      commands: [command("send", isListed: true), command("launch", isListed: false)]
    )
    for form in [HelpForm.short, .long] {
      let overview = try #require(Help.text(for: [], in: tool, form: form, width: 80))
      #expect(overview.contains("Commands:\n  G  send\n") && !overview.contains("launch"))
    }
    #expect(Help.text(for: ["launch"], in: tool, form: .long, width: 80) != nil)
    let answer = CompletionEngine.candidates(words: ["la"], in: tool, dynamic: { _ in [] })
    #expect(answer == .candidates([CompletionCandidate("launch", "Do it")]))
    let manual = Manual(of: tool, date: "January 1, 2026")
    #expect(manual.page(named: "oppi")?.source.contains("launch") == false)
    #expect(manual.page(named: "launch") != nil)
  }

  @Test("usage distinguishes required and optional arguments")
  func usage() throws {
    #expect(try #require(page(["servers", "rename"], .short)).contains("rename NAME [NEW-NAME]\n"))
    #expect(try #require(page(["schedule", "add"], .short)).contains("add NAME TIME...\n"))
    #expect(try #require(page(["schedule"], .short)).contains("schedule COMMAND [ARGUMENT]...\n"))
  }

  @Test("a hidden command has a page, but not an unknown one")
  func lookup() {
    #expect(page(["__complete"], .short) != nil)
    #expect(page(["aks"], .short) == nil)
    #expect(page(["ask", "x"], .short) == nil)
    #expect(Help.text(topic: "nope", in: SampleTool.tool, width: 80) == nil)
  }

  @Test(
    "a page fits its terminal but is never wider than 80 columns",
    arguments: [40, 60, 80, 200]
  )
  func width(width: Int) throws {
    for path in [[], ["ask"], ["servers"], ["sessions"]] as [[String]] {
      let lines = try #require(page(path, .short, width: width)).split(separator: "\n")
      #expect(lines.allSatisfy { $0.count <= min(width, 80) })
    }
    #expect(page(["ask"], .long, width: 1) == page(["ask"], .long, width: 40))
    #expect(page(["ask"], .long, width: 81) == page(["ask"], .long, width: 80))
  }

  @Test("a topic's lists follow its text, each under its heading")
  func topicLists() {
    let list = HelpList("status", [HelpRow("state", "How it stands"), HelpRow("id", "Its id")])
    let tool = SampleTool.Tool(
      topics: [HelpTopic(name: "json", summary: "What it prints", body: "Text.", lists: [list])]
    )
    let expected = """
      What it prints

      Text.

      status:

        state  How it stands
        id     Its id

      """
    #expect(Help.text(topic: "json", in: tool, width: 80) == expected)
    let page = Manual(of: tool, date: "January 1, 2026").page(named: "json.7")?.source ?? ""
    #expect(page.contains("Text.\n.Ss status\n.Bl"))
    #expect(page.contains(".It Li state\nHow it stands.\n.It Li id\nIts id.\n"))
  }

  @Test("a topic's reference list begins its help page and is on the tool's manual page")
  func topicReference() {
    let tool = SampleTool.Tool(
      topics: [
        HelpTopic(name: "files", summary: "What is written", reference: .files, body: "Text.")
      ],
      files: [HelpRow("/var/cache", "What is kept")]
    )
    #expect(
      Help.text(topic: "files", in: tool, width: 80)
        == "What is written\n\n  /var/cache  What is kept\n\nText.\n"
    )
    let manual = Manual(of: tool, date: "January 1, 2026")
    #expect(manual.pages.map(\.fileName) == ["oppi.1"])
    #expect(
      manual.pages[0].source.hasSuffix(
        ".Sh FILES\n.Bl -tag -width Ds\n.It Pa /var/cache\nWhat is kept.\n.El\n.Pp\nText.\n"
      )
    )
  }
}
