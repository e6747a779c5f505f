// SPDX-License-Identifier: MIT

import CommandTable
import EventLoop
import OppiModel
import OppiRendering

/// `oppi status`: a summary of all sessions, for terminals and status bars.
enum Status {
  struct Options: Sendable, Equatable {
    var format = StatusFormat.default
    var presentation: StatusPresentation?
    var isFollowing = false
  }

  static let command: Command = Command(
    "status",
    "Show a one-line status of all sessions",
    discussion: """
      Shows the most important session: one that needs an approval (by risk, then by remaining \
      time), else one with a question, else one that failed, else a running one, else one that \
      finished in the last 15 minutes. Data older than 5 minutes is stale, and is marked with ~ \
      and its age. Every format always prints at least one line.

      If 'oppi watch' runs, its snapshot is read and no server is queried. Otherwise all servers \
      are queried at the same time, each for at most 5 s (or --timeout).

      The states with their symbols and words; waybar gets the name as class and alt, other bars get a \
      colour:

      \(states)

      The formats, which escape server text for the bar:

      \(formats)

      For bars the exit status is 0 even if servers are unreachable, no server is paired, or a \
      file is damaged: the line shows the problem, because many bars hide the output of a failing \
      program. With i3blocks the status is 33 if an approval is pending, which i3blocks shows as \
      urgent; leave its markup option unset or set to none. With text and json the status is 78 if \
      no server is paired.

      With --follow a line is printed on each change, and every 15 s; with --json one object per \
      line, with type and at. It exits when the reader closes the pipe. These bars can read it: \
      \(followers); the others run the program repeatedly.
      """,
    examples: [
      CommandExample("oppi status", "Show the status"),
      CommandExample("oppi status --format waybar --follow", "Feed a custom module of waybar"),
      CommandExample("oppi status --format tmux", "Use in #(...) in the tmux status line"),
      CommandExample("oppi status --json", "Print the status as JSON"),
    ],
    exitStatuses: [0, 33, 66, 78],
    members: StatusReport.shape.rows + [
      HelpRow("type", "status, on each line of --follow")
    ],
    group: Group.watching,
    options: Options(),
    arguments: [
      .option("format", placeholder: "FORMAT", \.format, "Select the output format"),
      .option(
        "presentation",
        placeholder: "HOW",
        \.presentation,
        "Level of detail; default: expanded for text, else compact"
      ),
      .flag("follow", \.isFollowing, "Keep running and print each change"),
    ],
    validate: { (options) throws(UsageError) in
      guard options.isFollowing, !options.format.isStream else { return }
      throw UsageError(
        .custom("--follow cannot be used with --format \(options.format.name)")
      )
    },
    run: run
  )

  private static let states = list(
    ContentState.Status.allCases.map { status in
      (status.rawValue, "\(StatusMark(status).symbol) \(StatusMark(status).word)")
    }
  )

  /// The bars that read a stream of lines.
  private static let followers = StatusFormat.all.filter { $0.isBar && $0.isStream }.map(\.name)
    .joined(separator: ", ")

  private static let formats = list(StatusFormat.all.map { ($0.name, $0.summary) })

  /// Indented lines, which help prints unchanged.
  private static func list(_ rows: [(term: String, meaning: String)]) -> String {
    let width = rows.map(\.term.count).max() ?? 0
    return rows.map { term, meaning in
      "  \(term)\(String(repeating: " ", count: width + 2 - term.count))\(meaning)"
    }
    .joined(separator: "\n")
  }

  static func run(_ options: Options, in context: Context) async throws -> Report {
    var look = StatusLook(options, in: context)
    if options.isFollowing { try await look.follow() }
    return try await look.once()
  }
}
