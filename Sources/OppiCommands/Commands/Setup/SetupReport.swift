// SPDX-License-Identifier: MIT

import OppiModel
import OppiRendering
import OppiSystem

/// What `oppi setup` has done, or would do.
struct SetupReport: Sendable {
  let place: SetupPlace
  let isTrial: Bool
  let isRemoval: Bool
  let results: [Installation.Result]
  /// What is left to the user.
  let steps: [String]

  var report: Report {
    var table = Table()
    for (path, what, outcome) in results {
      let (words, style) = outcome.words(isTrial: isTrial)
      table.add([StyledText(path), StyledText(what), StyledText(words, style)])
    }
    let failures = results.compactMap(\.outcome.failure)
    return Report(
      Self.shape.document(of: self),
      .lines(lines),
      pipe: .table(table),
      status: results.isEmpty ? StyledText("nothing of setup's is there") : nil,
      notes: results.compactMap(Self.warning) + failures.dropFirst().map { .warning($0.message) }
        + steps.map { .hint($0) },
      failure: failures.first ?? refusal
    )
  }

  /// What became of each file, with its whole path at the end of the line.
  private var lines: [StyledText] {
    let words = results.map { $0.outcome.words(isTrial: isTrial) }
    let widths = (
      words.map(\.0.count).max() ?? 0, results.map { DisplayWidth.of($0.what) }.max() ?? 0
    )
    return zip(results, words).map { result, words in
      let gaps = (widths.0 - words.0.count + 2, widths.1 - DisplayWidth.of(result.what) + 2)
      var line = StyledText(words.0 + String(repeating: " ", count: gaps.0), words.1)
      line.append(result.what + String(repeating: " ", count: gaps.1))
      line.append(result.path)
      return line
    }
  }

  /// What is told of a file that was left alone.
  private static func warning(_ result: Installation.Result) -> Report.Note? {
    switch result.outcome {
    case .changed:
      .warning("\(result.path) was changed since setup wrote it, and is left alone")
    case .foreign: .warning("\(result.path) was not written by setup, and is left alone")
    default: nil
    }
  }

  /// The failure of an installation that had to leave all places alone.
  private var refusal: OppiError? {
    guard !isRemoval, !results.isEmpty, results.allSatisfy(\.outcome.isLeftAlone) else {
      return nil
    }
    return OppiError(
      .cannotCreate,
      "nothing was set up: other files are in all the places",
      hints: ["move them away, or give the program another name"]
    )
  }

  static let shape: JSONShape<SetupReport> = [
    .member("dryRun", "Whether nothing was done") { .bool($0.isTrial) },
    .list("files", "The files", fileShape) { $0.results },
    .member("next", "What is left to do, each a line") {
      .array($0.steps.map(JSONValue.string))
    },
  ]

  private static let fileShape: JSONShape<Installation.Result> = [
    .member("path", "Where it is") { .string($0.path) },
    .member("what", "What it is") { .string($0.what) },
    .member(
      "state",
      "written, unchanged or removed; changed or foreign where it was left alone; failed"
    ) { .string($0.outcome.name) },
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
    case .changed, .foreign: ("left alone", .warning)
    case .failed: ("failed", .error)
    }
  }

  fileprivate var isLeftAlone: Bool { self == .changed || self == .foreign }

  fileprivate var failure: OppiError? {
    if case .failed(let error) = self { OppiError(error) } else { nil }
  }
}
