// SPDX-License-Identifier: MIT

import CommandTable
import EventLoop
import OppiIntents
import OppiModel
import OppiRendering

/// `oppi status`: a glance at all sessions, for people and for status bars.
enum Status {
  struct Options: Sendable, Equatable {
    var format = StatusFormat.default
    var presentation: StatusPresentation?
    var isFollowing = false
  }

  static let command: Command = Command(
    "status",
    "Show at a glance how all sessions stand",
    discussion: """
      Shows the session that matters most: one that needs an approval (by risk, then by the time \
      that is left), then one that asks a question, then one that failed, one that works, and one \
      that was done in the last 15 minutes. What was last heard more than 5 minutes ago is marked as \
      old; no format ever prints nothing.

      Where 'oppi watch' runs, its snapshot is read and no server is asked. Else all servers are \
      asked at the same time, each for at most 5 s (or --timeout).

      The states with their symbols and words; bars get the name as class, alt or colour:

      \(states)

      The formats, which escape what servers say as each bar needs it:

      \(formats)

      A bar gets its line whatever happens, since many hide what a failing program says: offline, not \
      paired and a damaged file are told in the line, and the status is 0. With i3blocks the status \
      is 33 where an approval waits, which it shows as urgent; its markup is to be none, as it is \
      unless set. With text and json, 78 tells that nothing is paired.

      With --follow a line is printed when something has changed, and every 15 s; with --json an \
      object a line, with type and at. It ends when nobody reads it any more. waybar, polybar and \
      tmux can read it so; the others run the program again and again.
      """,
    examples: [
      CommandExample("oppi status", "How things stand"),
      CommandExample("oppi status --format waybar --follow", "For a custom module of waybar"),
      CommandExample("oppi status --format tmux", "For #(...) in tmux's status line"),
      CommandExample("oppi status --json", "For a program"),
    ],
    exitStatuses: [0, 33, 66, 78],
    members: StatusReport.shape.rows + [
      HelpRow("type", "status, on each line of --follow")
    ],
    group: Group.watching,
    options: Options(),
    arguments: [
      .option("format", placeholder: "FORMAT", \.format, "What it is for"),
      .option(
        "presentation",
        placeholder: "HOW",
        \.presentation,
        "How much is shown; compact unless it is text"
      ),
      .flag("follow", \.isFollowing, "Stay, and print each change"),
    ],
    validate: { (options) throws(UsageError) in
      guard options.isFollowing, !options.format.isStream else { return }
      throw UsageError(
        .custom("--format \(options.format.name) cannot be followed: it is run again and again")
      )
    },
    run: run
  )

  private static let states = list(
    ContentState.Status.allCases.map { status in
      (status.rawValue, "\(StatusMark(status).symbol) \(StatusMark(status).word)")
    }
  )

  private static let formats = list(StatusFormat.all.map { ($0.name, $0.summary) })

  /// Indented lines, which help keeps as they are.
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
