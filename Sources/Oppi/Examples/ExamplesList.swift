// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel
import OppiRendering

enum ExamplesList {
  struct Options: Sendable, Equatable {}

  static let command: Command = Command(
    "list",
    "List the examples",
    discussion: "In a pipe each line has the name and the summary, separated by a tab.",
    members: shape.rows,
    options: Options(),
    arguments: [],
    run: run
  )
  .listing("examples")

  static func run(_ options: Options, in context: Context) async throws -> Report {
    Report(shape.document(of: Example.all), .table(table))
  }

  private static var table: Table {
    Table(
      Example.all,
      headers: ["NAME", "SUMMARY"]
    ) { [StyledText($0.name, .name), StyledText($0.summary)] }
  }

  private static let shape: JSONShape<[Example]> = [
    .list("examples", "The examples, sorted by name", exampleShape) { $0 }
  ]

  private static let exampleShape: JSONShape<Example> = [
    .text("name", "Its name") { $0.name },
    .text("summary", "Its summary") { $0.summary },
    .member("files", "The paths of its files") {
      .array($0.files.map { JSONValue.string($0.path) })
    },
  ]
}
