// SPDX-License-Identifier: MIT

import CommandTable
import OppiClient
import OppiSystem
import OppiTerminal
import OppiText

/// `oppi help`: the pages of commands and topics, and the manual.
enum HelpCommand {
  struct Options: Sendable, Equatable {
    var isManual = false
    /// Where to write all pages of the manual.
    var folder: String?
    var words: [String] = []
  }

  static let command: Command = Command(
    "help",
    "Show help for a command or a topic",
    discussion: """
      With --man, prints a page of the manual as mdoc source: the main page, or the named page. \
      The prefix oppi- and the section are optional: ask, oppi-ask, config.5. Without a section \
      the first section with that page is used. 'oppi setup' installs all pages; --man-pages \
      writes them to a folder, for packages.
      """,
    examples: [
      ("oppi help exit-status", "List the exit statuses"),
      ("oppi help --man config.5 | man -l -", "Read a page without installing it"),
      ("oppi help --man-pages build/man", "Write all pages for a package"),
    ],
    exitStatuses: [0, 64, 73, 74],
    members: shape.rows,
    group: Group.setup,
    options: Options(),
    arguments: [
      .flag("man", \.isManual, "Print a page of the manual as mdoc source"),
      .option(
        "man-pages",
        placeholder: "DIR",
        completion: .directory,
        \.folder,
        "Write all pages of the manual to DIR"
      ),
      .positional(
        "topic",
        completion: .names(of: .topic),
        \.words,
        "A command or a topic; with --man, a page"
      ),
    ],
    validate: validate,
    run: run
  )

  private static func validate(_ options: Options) throws(UsageError) {
    if options.isManual, options.words.count > 1 {
      throw UsageError(.contradiction("--man takes one page, for example ask or config.5"))
    }
    if options.folder != nil, options.isManual || !options.words.isEmpty {
      throw UsageError(.contradiction("--man-pages takes no other argument"))
    }
  }

  static func run(_ options: Options, in context: Context) async throws -> Report {
    if let folder = options.folder { return try writePages(to: folder, in: context) }
    guard options.isManual else { return try report(on: options.words, form: nil, in: context) }
    let text = try source(options.words.first, in: context)
    let page = text.hasSuffix("\n") ? String(text.dropLast()) : text
    return Report(shape.document(of: (page, nil)), .text(page))
  }

  /// The page of a command, or without a form also of a topic.
  static func report(
    on words: [String],
    form: HelpForm?,
    in context: Context
  ) throws -> Report {
    let page = try page(words, form, width: context.output.policy.width)
    let lines = page.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    var report = Report(
      shape.document(of: (lines.joined(separator: "\n").filter { $0 != mark }, nil)),
      .lines(lines.map(styled))
    )
    report.isPaged = form != .short
    return report
  }

  /// Encloses a heading.
  private static let mark: Character = "\u{1}"

  private static func styled(_ line: Substring) -> StyledText {
    let pieces = line.split(separator: mark, omittingEmptySubsequences: false)
    return pieces.enumerated().reduce(into: StyledText()) { text, piece in
      text.append(String(piece.element), piece.offset.isMultiple(of: 2) ? .plain : .heading)
    }
  }

  private static let shape: JSONShape<(text: String?, files: [String]?)> = [
    .optionalText("text", "The page") { $0.text },
    .member("files", "With --man-pages: the files that were written") { output in
      output.files.map { .array($0.map(JSONValue.string)) }
    },
  ]

  private static func page(_ words: [String], _ form: HelpForm?, width: Int) throws -> String {
    let tool = OppiTable.tool
    let heading: (String) -> String = { "\(mark)\($0)\(mark)" }
    if form == nil, words.count == 1,
      let topic = Help.text(topic: words[0], in: tool, width: width, heading: heading)
    {
      return topic
    }
    let text = Help.text(for: words, in: tool, form: form ?? .long, width: width, heading: heading)
    if let text { return text }
    let name = words.joined(separator: " ")
    let names = tool.topics.map(\.name) + tool.root.visibleSubcommands.map(\.name)
    throw OppiError(
      .usage,
      "no help on '\(name.safeLine())'",
      hints: [
        Suggestions.hint(naming: Suggestions.closest(to: name, among: names))
          ?? "topics: \(tool.topics.map(\.name).joined(separator: ", "))"
      ]
    )
  }
}

// MARK: - The manual

extension Context {
  /// Shows a long report on a terminal with the user's pager; false if it must be printed.
  func page(_ report: Report) async -> Bool {
    guard report.isPaged, output.policy.form == .terminal, output.policy.canDraw,
      let pager = Pager(environment: services.environment, programs: services.programs)
    else { return false }
    let text = output.lines(of: report).map { "\($0)\n" }.joined()
    return await pager.show(text, by: services.programs, on: services.loop)
  }
}

extension HelpCommand {
  private static func source(_ name: String?, in context: Context) throws -> String {
    let manual = OppiTable.manual(for: context.programName)
    let name = name ?? context.programName
    if let page = manual.page(named: name) { return page.source }
    let hint =
      Suggestions.hint(naming: manual.closestNames(to: name))
      ?? "each command has a page; other pages: \(others(in: manual))"
    throw OppiError(.usage, "no manual page '\(name.safeLine())'", hints: [hint])
  }

  private static func others(in manual: Manual<Context, Report, GlobalOptions>) -> String {
    manual.pages.filter { $0.section != 1 }.map(\.fileName).joined(separator: ", ")
  }

  private static func writePages(to folder: String, in context: Context) throws -> Report {
    try context.files.makeFolder(folder, for: .everyone)
    let pages = OppiTable.manual(for: context.programName).pages
    let paths = pages.map { "\(folder)/\($0.fileName)" }
    for (page, path) in zip(pages, paths) {
      try context.files.replace(path, with: Array(page.source.utf8), .passing, readers: .everyone)
    }
    return Report(shape.document(of: (nil, paths)), .lines(paths.map { StyledText($0) }))
  }
}
