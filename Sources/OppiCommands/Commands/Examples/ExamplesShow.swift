// SPDX-License-Identifier: MIT

import CommandTable
import OppiIntents
import OppiModel

/// `oppi examples show`.
enum ExamplesShow {
  struct Options: Sendable, Equatable {
    var name = ""
    var file: String?
  }

  static let command: Command = Command(
    "show",
    "Print an example, for this program",
    discussion: """
      Prints what to know, README.md, and each file, below a line with its name. --file prints one \
      alone, to be redirected to where it goes. Everywhere the program is called by the path by which \
      it was called now, links kept.
      """,
    examples: [
      CommandExample("oppi examples show udev", "What fires, how to install it, what it tells"),
      CommandExample("oppi examples show cron --file crontab", "One file alone"),
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
        "Print this file alone, as it is to be"
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
        .warning("this program's path would need quotes; printed as \(Example.placeholder)"),
        .hint("install it elsewhere, such as in ~/.local/bin, or put the path in yourself"),
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
    .member("name", "What it is called") { .string($0.example.name) },
    .member("summary", "What it is") { .string($0.example.summary) },
    .list("files", "Its files, or the one of --file", fileShape) { $0.files },
  ]

  private static let fileShape: JSONShape<Example.File> = [
    .member("path", "Its name in the example") { .string($0.path) },
    .member("text", "What is in it") { .string($0.text) },
  ]
}
