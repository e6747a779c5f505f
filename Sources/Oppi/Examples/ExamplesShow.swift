// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel

enum ExamplesShow {
  struct Options: Sendable, Equatable {
    var name = ""
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
      CommandExample("oppi examples show udev", "Print an example with its instructions"),
      CommandExample("oppi examples show cron --file crontab", "Print one file"),
    ],
    exitStatuses: [0, 64, 66],
    members: shape.rows,
    options: Options(),
    arguments: [
      .option(
        "file",
        placeholder: "FILE",
        completion: .dynamic("example-file"),
        \.file,
        "Print only this file"
      ),
      .positional(
        "name",
        required: true,
        completion: .dynamic("example"),
        \.name,
        "The example's name"
      ),
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
