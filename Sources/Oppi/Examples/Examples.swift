// SPDX-License-Identifier: MIT

import CommandTable
import OppiClient
import OppiTerminal
import OppiText

/// `oppi examples`: how to set up triggers.
enum Examples {
  static let command: Command = Command(
    "examples",
    "Show examples for triggers, hotkeys and status bars",
    group: Group.triggers,
    defaultSubcommand: "list",
    subcommands: [ExamplesList.command, ExamplesShow.command]
  )
}

enum ExamplesList {
  static let command: Command = Command(
    "list",
    "List the examples",
    discussion: "In a pipe each line has the name and the summary, separated by a tab.",
    options: NoOptions(),
    run: run
  )
  .listing([list])

  static func run(_: NoOptions, in context: Context) async throws -> Report {
    list.report(Example.all, in: context)
  }

  private static let list = Listing<Example>(
    "examples",
    "The examples, sorted by name",
    [
      .text("name", "Its name") { $0.name },
      .text("summary", "Its summary") { $0.summary },
      .texts("files", "The paths of its files") { $0.files.map(\.path) },
    ],
    columns: [
      .text("NAME", .kept, .name) { $0.name },
      .text("SUMMARY", .decides) { $0.summary },
    ],
    isFolded: false
  )
}

enum ExamplesShow {
  struct Options: Sendable, Equatable {
    @Required var name: String
    var file: String?
  }

  static let command: Command = Command(
    "show",
    "Print an example",
    discussion: """
      Prints the example's README.md and each file, below a line with its name. --file prints \
      only one file, for redirection. In the output the program is called by the path with which \
      you ran it; symbolic links are kept.
      """,
    examples: [
      ("oppi examples show udev", "Print an example with its instructions"),
      ("oppi examples show cron --file crontab", "Print one file"),
    ],
    exitStatuses: [0, 64, 66],
    members: shape.rows,
    options: Options(),
    arguments: [
      .option(
        "file",
        placeholder: "FILE",
        completion: .names(of: .exampleFile),
        \.file,
        "Print only this file"
      ),
      .positional("name", completion: .names(of: .example), \.$name, "The example's name"),
    ],
    run: run
  )

  static func run(_ options: Options, in context: Context) async throws -> Report {
    var example = try Example.named(options.name)
    let path = context.programPath()
    var notes: [Report.Note] = []
    if Example.canCall(path) {
      example = example.calling(path)
    } else {
      notes = [
        .warning("this program's path requires quoting; it is printed as \(Example.placeholder)"),
        .hint(
          "install it in another folder, for example ~/.local/bin, or insert the path yourself"
        ),
      ]
    }
    let files = try options.file.map { [try example.file($0)] } ?? example.files
    let text = options.file == nil ? text(of: files) : files.map(\.text).joined()
    let shown = example
    return Report(
      shape.document(of: (shown, files)),
      .text(text.hasSuffix("\n") ? String(text.dropLast()) : text),
      notes: notes
    )
  }

  private static func text(of files: [Example.File]) -> String {
    files.map { "==> \($0.path) <==\n\($0.text)" }.joined(separator: "\n")
  }

  private static let shape: JSONShape<(example: Example, files: [Example.File])> = [
    .text("name", "Its name") { $0.example.name },
    .text("summary", "Its summary") { $0.example.summary },
    .list("files", "Its files, or the file of --file", fileShape) { $0.files },
  ]

  private static let fileShape: JSONShape<Example.File> = [
    .text("path", "Its path in the example") { $0.path },
    .text("text", "Its content") { $0.text },
  ]
}

/// An installable example of a trigger that runs shortcuts: a folder of `Examples/`.
struct Example: Sendable {
  struct File: Sendable {
    let path: String
    /// As stored, with the final line break.
    let text: String
  }

  /// The program's path in all examples.
  static let placeholder = "/usr/local/bin/oppi"

  let name: String
  /// `README.md` comes first.
  let files: [File]

  /// The text after the name in the first line of its README.
  var summary: String {
    let heading = files.first?.text.prefix { $0 != "\n" } ?? ""
    return heading.split(separator: ": ", maxSplits: 1).dropFirst().first.map(String.init) ?? ""
  }

  /// The example with a program's path in place of the placeholder.
  func calling(_ path: String) -> Example {
    Example(
      name: name,
      files: files.map { file in
        File(path: file.path, text: file.text.replacing(Self.placeholder, with: path))
      }
    )
  }

  /// Whether a path needs no quoting in a shell, a crontab, a unit, a desktop entry and a window
  /// manager's configuration.
  static func canCall(_ path: String) -> Bool {
    path.hasPrefix("/")
      && path.utf8.allSatisfy { $0.isASCIIAlphanumeric || "/._+-".utf8.contains($0) }
  }

  /// - Throws: `OppiError` if there is none.
  static func named(_ name: String) throws(OppiError) -> Example {
    if let example = all.first(where: { $0.name == name }) { return example }
    let close = Suggestions.closest(to: name, among: all.map(\.name)).first
    throw OppiError(
      .noInput,
      "no example '\(name.safeLine(limit: 60))'",
      hints: [close.map { "did you mean '\($0)'?" } ?? "list them with: oppi examples"]
    )
  }

  /// - Throws: `OppiError` if there is none.
  func file(_ path: String) throws(OppiError) -> File {
    if let file = files.first(where: { $0.path == path }) { return file }
    throw OppiError(
      .noInput,
      "example \(name) has no file '\(path.safeLine(limit: 60))'",
      hints: ["files: \(files.map(\.path).joined(separator: ", "))"]
    )
  }
}
