// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel
import OppiRendering

/// Runs commands in the demo's folders and shows them as they would be typed.
struct DemoStage: Sendable {
  private let context: Context

  init(context: Context, folder: String) {
    self.context = context.relocated(to: folder)
  }

  func perform(_ words: [String], shownAs line: String? = nil) async throws {
    let quoted = words.map { $0.contains(" ") ? "'\($0)'" : $0 }.joined(separator: " ")
    let line = line ?? "oppi \(quoted)"
    var prompt = StyledText("$ ", .dim)
    prompt.append(line, .code)
    await context.console.status(prompt)
    guard case .run(let options, _, let work) = try OppiTable.tool.parse(words) else { return }
    let report = try await work(context.with(options))
    let lines = context.console.with(options).lines(of: report)
    try await context.console.print(
      .step(
        [DemoStep(at: context.now(), command: line, report: report).document],
        lines.isEmpty ? .nothing : .text(lines.joined(separator: "\n")),
        status: report.status
      )
    )
    if let failure = report.failure { throw failure }
    await context.console.status("")
  }

  func say(_ text: String) async {
    await context.console.status(StyledText("# \(text)\n", .dim))
  }
}

/// A command that the demo has performed.
struct DemoStep {
  let at: Timestamp
  let command: String
  let report: Report

  var document: JSONValue { Self.shape.document(of: self) }

  static let shape: JSONShape<DemoStep> = [
    .member("type", "The word command") { _ in "command" },
    .member("at", "When it was performed") { .string($0.at.iso8601) },
    .member("command", "The command as it would be typed") { .string($0.command) },
    .member("output", "What it prints as JSON") { $0.report.documents.first ?? .null },
  ]
}
