// SPDX-License-Identifier: MIT

import CommandTable
import OppiClient
import OppiPrompts
import OppiTerminal
import OppiText

/// `oppi setup`: makes this program known to shells, man, the desktop and systemd.
enum Setup {
  struct Options: Sendable, Equatable {
    var isForUser = false
    var prefix: String?
    var removes = false
    var isDryRun = false
  }

  static let command: Command = Command(
    "setup",
    "Install completions, manual, desktop entries, units",
    discussion: """
      Installs the completions for bash, zsh and fish, the manual, a desktop entry, the handler \
      of oppi:// links, and the units of 'oppi watch' and 'oppi outbox': below $XDG_DATA_HOME \
      and $XDG_CONFIG_HOME, or, for packages, below the folder of --prefix, with $DESTDIR \
      prepended if set. Entries and units run the program by the path with which you ran it \
      (symbolic links are kept), or with --prefix by DIR/bin. File names follow the program's \
      name.

      Existing files that setup did not write, or that were changed since, are not replaced and \
      are listed. Nothing is enabled or started; the remaining steps are printed. Running setup \
      again changes nothing. A newer version updates its files and removes manual pages that no \
      longer exist.

      --remove deletes unchanged files that setup wrote, and empty folders that it created; stop \
      and disable the units first. With DESTDIR nothing is recorded, and folders are not \
      removed.

      In a pipe each line has path, kind and state, separated by tabs.
      """,
    examples: [
      ("oppi setup", "Install for this user"),
      ("oppi setup -n", "Show what would be written"),
      ("oppi setup --remove", "Remove all installed files"),
      ("oppi setup --prefix /usr/local", "Install for all users, with /usr/local/bin/oppi"),
    ],
    exitStatuses: [0, 64, 73, 74, 78],
    members: SetupReport.shape.rows,
    group: Group.setup,
    options: Options(),
    arguments: [
      .flag("user", \.isForUser, "Install for this user (the default)"),
      .option(
        "prefix",
        placeholder: "DIR",
        completion: .directory,
        \.prefix,
        "Install for all users, below this folder"
      ),
      .flag("remove", \.removes, "Remove the installed files"),
      .flag("dry-run", short: "n", \.isDryRun, "Show what would be done, without doing it"),
    ],
    validate: validate,
    run: run
  )

  private static func validate(_ options: Options) throws(UsageError) {
    guard let prefix = options.prefix else { return }
    if options.isForUser {
      throw UsageError(.contradiction("--user and --prefix cannot be used together"))
    }
    let isPlain = !prefix.split(separator: "/").contains { $0 == "." || $0 == ".." }
    guard prefix.hasPrefix("/"), isPlain else {
      let reason = "must be an absolute path without . and .. in it"
      throw UsageError(.badValue(argument: "--prefix", value: prefix, reason: reason))
    }
  }

  static func run(_ options: Options, in context: Context) async throws -> Report {
    let program = try InstallProgram(
      named: context.programName,
      below: options.prefix,
      in: context.services
    )
    let (isTrial, isRemoval) = (options.isDryRun, options.removes)
    let (results, steps) = try await program.run(isRemoval: isRemoval, isTrial: isTrial)
    return SetupReport(results: results, steps: steps, isTrial: isTrial, isRemoval: isRemoval)
      .report
  }
}

/// The report of `oppi setup`, with or without `--dry-run`.
struct SetupReport: Sendable {
  let results: [Installation.Result]
  let steps: [String]
  let isTrial: Bool
  let isRemoval: Bool

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
    return OppiError(
      .cannotCreate,
      "nothing was installed: other files have the same paths",
      hints: ["move them away, or rename the program"]
    )
  }

  static let shape: JSONShape<SetupReport> = [
    .bool("dryRun", "Whether this was a dry run") { $0.isTrial },
    .list("files", "The files", fileShape) { $0.results },
    .texts("next", "The remaining steps, one per line") { $0.steps },
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
}
