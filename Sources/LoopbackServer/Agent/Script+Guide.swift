// SPDX-License-Identifier: MIT

extension LoopbackServer {
  /// How the agent answers prompts that select no script.
  package enum Manner: Sendable {
    /// It runs one command, whatever was asked.
    case standard
    /// It says that it is scripted, and names what it can do.
    case guide
  }

  /// What the agent does at which word of a prompt, for help.
  package static var vocabulary: [(word: String, effect: String)] {
    Script.table.flatMap { script in script.words.prefix(1).map { ($0, script.effect) } }
  }
}

extension Script {
  /// What a guide answers without a tool.
  static let courtesies = [
    Script(
      words: ["thank you", "thanks"],
      effect: "answers in kind",
      steps: [.say(text: "You're welcome! Ask for anything else.")]
    ),
    Script(
      words: ["hello", "hi"],
      effect: "answers in kind",
      steps: [.say(text: "Hello! What shall I do?")]
    ),
  ]

  /// The answer to a prompt that selects nothing.
  static let guidance = Script(
    words: [],
    effect: "describes what it can do",
    steps: [
      .say(
        thinking: "One command shows the folder.",
        text: "Let me look at the folder.",
        calls: [.bash("ls", .prints(["README.md\n", "Sources\n", "Tests\n"]))]
      ),
      .say(
        text: """
          I ran ls. This is a demo server: its agent follows a script and cannot do more. Try a \
          prompt with the word deploy, question or todo; oppi demo --help lists all of them.
          """
      ),
    ]
  )
}
