// SPDX-License-Identifier: MIT

import CommandTable
import EventLoop
package import OppiClient
import OppiModel
import OppiSystem
import OppiTerminal
import OppiWire

/// `oppi status`: a summary of all sessions, for terminals and status bars.
package enum Status {
  struct Options: Sendable, Equatable {
    var format = StatusFormat.default
    var presentation: StatusPresentation?
    var isFollowing = false
  }

  package static let command: Command = Command(
    "status",
    "Show the status of all sessions",
    discussion: """
      Shows the most important session: one that waits for approval (by risk, then by remaining \
      time), else one that waits for an answer, else one that failed, else a running one, else one that \
      finished in the last 15 minutes. Data older than 5 minutes is stale, and is marked with ~ \
      and its age. Every format always prints at least one line.

      If 'oppi watch' runs, its snapshot is read and no server is queried. Otherwise all servers \
      are queried at the same time, each for at most 5 s (or --timeout).

      The states with their symbols, as bars show them, and their names in JSON, which waybar gets as \
      class and alt; completed is an idle session whose turn finished in the last 15 minutes:

      \(states)

      Other bars get a colour.

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
      ("oppi status", "Show the status"),
      ("oppi status --format waybar --follow", "Feed a custom module of waybar"),
      ("oppi status --format tmux", "Use in #(...) in the tmux status line"),
      ("oppi status --json", "Print the status as JSON"),
    ],
    exitStatuses: [0, 33, 66, 78],
    members: BarText.shape.rows + [
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
      (StatusMark(status).line.plain, status.rawValue)
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

/// Shows the state of all sessions, once or repeatedly.
struct StatusLook {
  /// The pause between two reads of the snapshot.
  private static let pause = Duration.seconds(1)
  /// Prints a line at least this often: times change, and only a write detects that the reader is
  /// gone.
  private static let tick = Duration.seconds(15)
  /// The least time between two queries of the servers.
  private static let queryPause = Duration.seconds(15)

  private let format: StatusFormat
  private let presentation: StatusPresentation
  private let context: Context
  /// The last answer of the servers, and when it came.
  private var asked: (state: Result<FleetStatus, OppiError>, at: EventLoop.Instant)?
  /// The last reported error of getting the state.
  private var trouble: OppiError?

  init(_ options: Status.Options, in context: Context) {
    format = options.format
    let isPage = options.format == .default && !options.isFollowing
    presentation = options.presentation ?? (isPage ? .expanded : .compact)
    self.context = context
  }

  mutating func once() async throws -> Report {
    let state = try await state()
    await remember(state)
    var report = BarText(state, at: context.now()).report(format, presentation)
    if state.status == .notPaired, !format.isBar {
      report.failure = OppiError.notPaired
      // The error says what the text would.
      if case .people = format.form, !context.options.isJSON {
        return .end(failure: report.failure)
      }
    }
    return report
  }

  /// Prints the state, each change of it and the passing of time, until the reader is gone.
  mutating func follow() async throws -> Never {
    var shown: ContentState?
    var next = context.loop.now
    while true {
      let state = try await state()
      if shown != state.timeless || context.loop.now >= next {
        await remember(state)
        let glance = BarText(state, at: context.now())
        try await context.output.print(glance.step(format, presentation))
        shown = state.timeless
        next = context.loop.now + Self.tick
      }
      try await context.loop.sleep(for: Self.pause)
    }
  }

  /// Records that requests were shown, if the format has their texts.
  private func remember(_ state: ContentState) async {
    let isDocument = context.output.policy.form == .json || format == .json
    guard let shown = state.shown,
      isDocument || presentation == .expanded || format.alwaysHasDetails
    else { return }
    let requests = ShownRequests.entries(of: shown.status, on: shown.id.serverID)
    await context.services.remember(listed: requests)
  }

  /// The current state; a bar also shows errors.
  private mutating func state() async throws -> ContentState {
    do {
      let fleet = try await fleet()
      trouble = nil
      return ContentState(fleet, at: context.now())
    } catch let error as OppiError where format.isBar {
      if error != trouble { await context.output.report(error) }
      trouble = error
      return ContentState(failure: error.message)
    }
  }

  // MARK: - The source

  /// The snapshot if it is up to date, else the state of the servers.
  ///
  /// - Throws: `OppiError` if the servers cannot be determined; `CancellationError`.
  private mutating func fleet() async throws -> FleetStatus {
    do {
      if let kept = try kept() { return kept }
    } catch {
      throw OppiError(error)
    }
    if let asked, context.loop.now < asked.at + Self.queryPause { return try asked.state.get() }
    let state: Result<FleetStatus, OppiError>
    do {
      state = .success(try await context.fleetStatus())
    } catch let error as CancellationError {
      throw error
    } catch {
      state = .failure(OppiError(error))
    }
    asked = (state, context.loop.now)
    return try state.get()
  }

  /// The snapshot, limited to the servers of the command; `nil` if it is not up to date.
  private func kept() throws -> FleetStatus? {
    guard let fleet = context.statusFile.usable(), fleet.isKept(at: context.now()) else {
      return nil
    }
    guard context.serverChoice != nil else { return fleet }
    let chosen = fleet.only(Set(try context.servers().map(\.id)))
    // The server was paired after the snapshot was written.
    return chosen.servers.isEmpty ? nil : chosen
  }
}

extension Context {
  /// Queries all servers of the command; a server that fails has its error, and its last state from
  /// the snapshot.
  ///
  /// - Throws: If the list of servers cannot be read, or the command is cancelled.
  func fleetStatus() async throws -> FleetStatus {
    let answers = try await fleet().overviews(.turns, known: services.knownTurns)
    services.rememberTurns(of: answers.compactMap(\.value))
    let known = services.statusFile.usable()?.servers ?? []
    return FleetStatus(
      at: now(),
      servers: answers.map { answer in
        switch answer.result {
        case .success(let overview): ServerStatus(overview)
        case .failure(let error):
          ServerStatus(
            answer.server,
            failure: error.message,
            known: known.first { $0.id == answer.server.id }
          )
        }
      }
    )
  }
}
