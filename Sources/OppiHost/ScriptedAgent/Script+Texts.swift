// SPDX-License-Identifier: MIT

import OppiText

extension Script {
  /// The additional scripts of a guide.
  static let courtesies = [
    Script(
      "thank you",
      "thanks",
      does: "replies",
      [.say(text: "You're welcome! Ask for anything else.")]
    ),
    Script("hello", "hi", does: "replies", [.say(text: "Hello! What should I do?")]),
  ]

  static let guidance = Script(
    does: "describes what it can do",
    [
      .say(
        thinking: "One command shows the folder.",
        text: "Let me look at the folder.",
        calls: [.bash("ls", prints: "README.md\n", "Sources\n", "Tests\n")]
      ),
      .say(
        text: """
          I ran ls. This is a demo server: its agent follows a script and cannot do more. Try a \
          prompt with the word deploy, question or todo; oppi demo --help lists all words.
          """
      ),
    ]
  )

  /// An answer with everything that the layout of Markdown supports.
  static let document = Script(
    "markdown",
    does: "answers with lists, a table and code",
    [
      .say(
        text: "I will look at the notes first.",
        calls: [.bash("cat NOTES.md", prints: "Release notes\n")]
      ),
      .say(text: answer),
    ]
  )

  private static let answer = """
    # Release notes

    The release is **ready**, except for two tasks. The rest of this paragraph is long enough to \
    wrap on a narrow terminal, which shows where its words are separated.

    ## Tasks

    - [x] Update the manual
    - [ ] Tag the release
      - the tag needs a signature
      - ~~without a message~~ with a message
    - [ ] Publish

    1. Build:
       ```sh
       swift build -c release
       swift test
       ```
    2. Read [the guide](https://example.com/guide) and https://example.com

    | Platform | State | Notes |
    |:---------|:------|------:|
    | Linux    | done  | tested on two distributions, with the static library |
    | 日本語    | open  | 東京で確認します |
    | עברית    | done  | שלום |

    > A quote, with `code` and an emoji 👩‍💻.

    ```swift
    let greeting = "Hello"
    print(greeting)
    ```

    That is all.
    """

  /// A call that does not fit a small screen.
  static let migration = Script(
    "migrate",
    does: "asks before a command of 30 lines",
    [
      .say(
        text: "I will migrate the tables.",
        calls: [.bash(migrate, prints: "29 tables migrated\n", needs: "Changes the database")]
      ),
      .report { $0.isError ? "Not migrated: \($0.output)" : "The tables are migrated." },
    ]
  )

  /// A change of a file, and a call that needs approval after it.
  static let repair = Script(
    "flaky",
    does: "edits a file, then asks before git push",
    [
      .say(
        text: "The test sleeps for two seconds. I replace that by the test clock.",
        calls: [AgentCall(tool: "edit", arguments: edit, work: editing)]
      ),
      .say(
        text: "It passes now, and I will push it.",
        calls: [.bash("git push origin main", prints: "main -> main\n", needs: "Git push")]
      ),
      .report { $0.isError ? "Not pushed: \($0.output)" : "The fix is pushed." },
    ]
  )

  private static let edit: JSONValue = [
    "path": "Tests/LoginTests.swift",
    "oldText": "try await sleep(seconds: 2)",
    "newText": "clock.advance(by: .seconds(2))",
  ]

  private static let editing: AgentCall.Work = { _, _, _ in
    ToolResult(output: "Edited Tests/LoginTests.swift", details: ["diff": .string(difference)])
  }

  private static let difference = """
     41 @Test func login() async throws {
    -42   try await sleep(seconds: 2)
    +42   clock.advance(by: .seconds(2))
     43   #expect(await session.isOpen)
    """

  private static let migrate =
    (["set -e"] + (1...29).map { "psql -d shop -f migrations/\($0).sql" }).joined(separator: "\n")
}
