// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel

/// `oppi help`: pages about commands and topics, and the manual.
enum HelpCommand {
  struct Options: Sendable, Equatable {
    var isManual = false
    var words: [String] = []
  }

  static let command: Command = Command(
    "help",
    "Show help for a command or a topic",
    examples: [
      CommandExample("oppi help exit-status", "What the exit statuses mean"),
      CommandExample("oppi help --man", "The manual page, for man -l or to install"),
    ],
    members: shape.rows,
    group: Group.setup,
    options: Options(),
    arguments: [
      .flag("man", \.isManual, "Print the manual page as mdoc source"),
      .positional(
        "topic",
        completion: .dynamic("topic"),
        \.words,
        "A command or a topic"
      ),
    ],
    run: run
  )

  static func run(_ options: Options, in context: Context) async throws -> Report {
    let page = try page(options, width: context.console.policy.width)
    return Report(shape.document(of: page), .text(page))
  }

  private static let shape: JSONShape<String> = [
    .member("text", "The page") { .string($0) }
  ]

  private static func page(_ options: Options, width: Int) throws -> String {
    let tool = OppiTable.tool
    var text: String?
    if options.isManual {
      text = ManPage.mdoc(for: tool, date: Oppi.releaseDate)
    } else if options.words.count == 1,
      let topic = Help.text(topic: options.words[0], in: tool, width: width)
    {
      text = topic
    } else {
      text = Help.text(for: options.words, in: tool, form: .long, width: width)
    }
    guard var text else {
      let words = options.words.joined(separator: " ").safeLine()
      let topics = tool.topics.map(\.name).joined(separator: ", ")
      throw OppiError(.usage, "no help on '\(words)'", hints: ["topics: \(topics)"])
    }
    if text.hasSuffix("\n") { text.removeLast() }
    return text
  }
}
