// SPDX-License-Identifier: MIT

import OppiModel
import OppiRendering
import OppiSystem

/// The report of `oppi setup`, with or without `--dry-run`.
struct SetupReport: Sendable {
  private let isTrial: Bool
  private let isRemoval: Bool
  private let results: [Installation.Result]
  /// The steps that the user has to do, each a command to copy.
  private let steps: [String]

  init(_ outcome: InstallProgram.Outcome, isTrial: Bool, isRemoval: Bool) {
    (self.isTrial, self.isRemoval) = (isTrial, isRemoval)
    results = outcome.results
    steps = outcome.steps.map(\.words)
  }

  var report: Report {
    let table = Table(results) { path, what, outcome in
      let (words, style) = outcome.words(isTrial: isTrial)
      return [StyledText(path), StyledText(what), StyledText(words, style)]
    }
    let failures = results.compactMap(\.outcome.failure)
    return Report(
      Self.shape.document(of: self),
      .lines(lines),
      pipe: .table(table),
      status: results.isEmpty ? StyledText("nothing is installed") : nil,
      notes: results.compactMap(Self.warning) + failures.dropFirst().map { .warning($0.message) }
        + steps.map { .hint($0) },
      failure: failures.first ?? refusal
    )
  }

  /// One line per file with its full path; files of the same kind and outcome share a line with
  /// their folder.
  private var lines: [StyledText] {
    let rows = rows
    let words = rows.map { $0.outcome.words(isTrial: isTrial) }
    let widths = (
      words.map(\.0.count).max() ?? 0, rows.map { DisplayWidth.of($0.what) }.max() ?? 0
    )
    return zip(rows, words).map { row, words in
      let gaps = (widths.0 - words.0.count + 2, widths.1 - DisplayWidth.of(row.what) + 2)
      var line = StyledText(words.0 + String(repeating: " ", count: gaps.0), words.1)
      line.append(row.what + String(repeating: " ", count: gaps.1))
      line.append(row.path)
      return line
    }
  }

  /// The rows for a terminal; a file that was not modified or that failed has its own row.
  private var rows: [Installation.Result] {
    var rows: [Installation.Result] = []
    var shared: [Int: [String]] = [:]
    for result in results {
      let isPlain = !result.outcome.isLeftAlone && result.outcome.failure == nil
      let row =
        isPlain
        ? rows.firstIndex { $0.what == result.what && $0.outcome == result.outcome } : nil
      shared[row ?? rows.count, default: []].append(result.path)
      if row == nil { rows.append(result) }
    }
    for (index, paths) in shared where paths.count > 1 {
      rows[index].what += "s (\(paths.count))"
      rows[index].path = Self.commonFolder(of: paths)
    }
    return rows
  }

  /// The deepest folder that contains all paths.
  private static func commonFolder(of paths: [String]) -> String {
    let parents = paths.map { $0.split(separator: "/").dropLast() }
    let common = parents.dropFirst().reduce(parents.first ?? []) { common, parent in
      zip(common, parent).prefix { $0 == $1 }.map(\.0)[...]
    }
    return "/" + common.joined(separator: "/")
  }

  /// The warning about a file that was not modified.
  private static func warning(_ result: Installation.Result) -> Report.Note? {
    switch result.outcome {
    case .changed:
      .warning("\(result.path) was changed after setup; not modified")
    case .foreign: .warning("\(result.path) was not written by setup; not modified")
    default: nil
    }
  }

  /// The failure of an installation that modified no file.
  private var refusal: OppiError? {
    guard !isRemoval, !results.isEmpty, results.allSatisfy(\.outcome.isLeftAlone) else {
      return nil
    }
    return .nothingInstalled
  }

  static let shape: JSONShape<SetupReport> = [
    .member("dryRun", "Whether this was a dry run") { .bool($0.isTrial) },
    .list("files", "The files", fileShape) { $0.results },
    .member("next", "The remaining steps, one per line") {
      .array($0.steps.map(JSONValue.string))
    },
  ]

  private static let fileShape: JSONShape<Installation.Result> = [
    .text("path", "Its path") { $0.path },
    .text("what", "Its kind") { $0.what },
    .text(
      "state",
      "written, unchanged or removed; changed or foreign if it was not modified; failed"
    ) { $0.outcome.name },
    .member("error", "Why it failed") { $0.outcome.failure.map { .string($0.message) } },
  ]
}

extension Installation.Outcome {
  fileprivate var name: String {
    switch self {
    case .written: "written"
    case .unchanged: "unchanged"
    case .removed: "removed"
    case .changed: "changed"
    case .foreign: "foreign"
    case .failed: "failed"
    }
  }

  fileprivate func words(isTrial: Bool) -> (String, Style) {
    switch self {
    case .written: (isTrial ? "to be written" : "written", .success)
    case .unchanged: ("unchanged", .dim)
    case .removed: (isTrial ? "to be removed" : "removed", .success)
    case .changed, .foreign: ("not modified", .warning)
    case .failed: ("failed", .error)
    }
  }

  fileprivate var isLeftAlone: Bool { self == .changed || self == .foreign }

  fileprivate var failure: OppiError? {
    if case .failed(let error) = self { OppiError(error) } else { nil }
  }
}
