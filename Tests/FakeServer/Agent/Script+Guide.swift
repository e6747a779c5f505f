// SPDX-License-Identifier: MIT

extension FakeServer {
  /// The response to prompts that select no script.
  package enum Manner: Sendable {
    /// Runs one command, whatever the prompt.
    case standard
    /// Explains that the agent is scripted, and names what it can do.
    case guide
  }

  /// The words that select scripts and their effects, for help.
  package static var vocabulary: [(word: String, effect: String)] {
    Script.table.flatMap { script in script.words.prefix(1).map { ($0, script.effect) } }
  }
}

extension Script {
  /// The additional scripts of a guide.
  static let courtesies = [
    Script(
      words: ["thank you", "thanks"],
      effect: "replies",
      steps: [.say(text: "You're welcome! Ask for anything else.")]
    ),
    Script(
      words: ["hello", "hi"],
      effect: "replies",
      steps: [.say(text: "Hello! What should I do?")]
    ),
  ]

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
          prompt with the word deploy, question or todo; oppi demo --help lists all words.
          """
      ),
    ]
  )
}
