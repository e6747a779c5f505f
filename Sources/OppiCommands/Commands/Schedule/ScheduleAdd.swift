// SPDX-License-Identifier: MIT

import CommandTable
import OppiIntents
import OppiModel
import OppiRendering
import OppiSystem

/// `oppi schedule add`.
enum ScheduleAdd {
  struct Options: Sendable, Equatable {
    var name: ShortcutName?
    var wish = ScheduleWish()
    var isReplacing = false
    var isAgreed = false
    var isDryRun = false
  }

  static let command: Command = Command(
    "add",
    "Have a shortcut run at set times",
    discussion: """
      A shortcut has one schedule. --cron takes five fields as crontab(5) has them, or @daily and \
      the like; --every takes a part of the hour or the day, from midnight on: 15m, 90m, 6h; --at is \
      once, and says whose clock it means: '2026-12-24 18:00 local', an offset such as +01:00 or Z, or \
      --tz.

      systemd's user manager watches the clock where there is one, and cron where there is none, or \
      where --backend says so; oppi has no clock of its own. To run while nobody is logged in, \
      systemd needs 'loginctl enable-linger'. Cron knows this machine's time zone alone, and makes up \
      for nothing.

      What was missed is skipped, or made up for by one run; with skip, a run that is five minutes late \
      is missed, too. A run whose time comes while the one before goes on (its turn, or with a shortcut \
      that does not wait, its session is at work, or its prompt waits in the outbox) is skipped, or \
      comes after it, the last of several; in the outbox each of them is kept.

      A run is for a slot, the moment at which it was due, and a slot is never run twice. A time that \
      clocks leave out in a night of spring has no run, and one that they show twice in autumn has \
      one. For a shortcut with --queue it is a part of the prompt's key, so that a run \
      that comes through the outbox is once at most, too. A run that failed is told on the desktop.

      The next two runs are shown first; on a terminal it asks before anything is written.
      """,
    examples: [
      CommandExample("oppi schedule add standup --cron '0 9 * * 1-5'", "On working days at 9"),
      CommandExample(
        "oppi schedule add nightly --cron '30 2 * * *' --tz Europe/Berlin --missed once",
        "By Berlin's clocks; one run for nights on which the machine was off"
      ),
      CommandExample("oppi schedule add triage --every 30m --jitter 2m", "Not on the minute"),
      CommandExample("oppi schedule add release --at '2026-12-24 18:00 local'", "Once"),
    ],
    exitStatuses: [0, 64, 65, 66, 69, 73, 74, 78],
    members: shape.rows,
    options: Options(),
    arguments: arguments,
    validate: validate,
    run: run
  )

  private static let arguments: [Argument<Options>] = [
    .option("cron", placeholder: "FIELDS", \.wish.cron, "Minute, hour, day, month, weekday"),
    .option("every", \.wish.interval, "So often, from midnight on"),
    .option("at", placeholder: "TIME", \.wish.moment, "Once, at a date and time"),
    .option("tz", placeholder: "ZONE", \.wish.zone, "By the clocks of Europe/Berlin, say"),
    .option("missed", \.wish.missed, "When the machine was off or asleep: skip it, or run once"),
    .option(
      "on-overlap",
      \.wish.overlap,
      "When the run before goes on: skip it, or come after it"
    ),
    .option("jitter", \.wish.jitter, "Start up to so much later, by chance"),
    .option("backend", \.wish.backend, "Who watches the clock"),
    .flag("replace", \.isReplacing, "Take the place of the schedule that there is"),
    .flag("yes", short: "y", \.isAgreed, "Do not ask"),
    .flag("dry-run", short: "n", \.isDryRun, "Show what would be written, write nothing"),
    .positional(
      "name",
      required: true,
      completion: .dynamic("shortcut"),
      \.name,
      "The shortcut's name"
    ),
  ]

  private static func validate(_ options: Options) throws(UsageError) {
    let wish = options.wish
    let given = [wish.cron != nil, wish.interval != nil, wish.moment != nil]
    guard given.count(where: \.self) == 1 else {
      throw UsageError(.custom("give one of --cron, --every and --at"))
    }
  }

  static func run(_ options: Options, in context: Context) async throws -> Report {
    guard let name = options.name else { throw UsageError(.missingPositional("NAME")) }
    try check(name, in: context)
    let before = try context.schedules.load(name.text)
    guard before == nil || options.isReplacing || options.isDryRun else {
      throw OppiError(
        .cannotCreate,
        "the shortcut \(name.text) has a schedule already",
        hints: ["see it with: oppi schedule", "or add --replace"]
      )
    }
    let schedule = try await options.wish.schedule(of: name, in: context)
    let now = context.now()
    let next = try await options.wish.upcoming(schedule, in: context)
    let files = try files(of: schedule, in: context)
    let row = ScheduleRow(record: ScheduleRecord(schedule, at: now), next: next, now: now)
    let plan = Plan(row: row, files: files)
    if options.isDryRun {
      return Report(shape.document(of: plan), .lines(plan.lines))
    }
    try await context.prepare(schedule)
    try await agree(to: next, options, name, in: context)
    try await keep(schedule, insteadOf: before, in: context)
    return Report(
      shape.document(of: plan),
      status: StyledText("scheduled \(name.text) by \(schedule.backend.rawValue)"),
      notes: schedule.backend == .cron && UserCrontab(context: context).isUnread
        ? [.warning(UserCrontab.unread)] : []
    )
  }

  /// Nobody is there to fill anything in.
  private static func check(_ name: ShortcutName, in context: Context) throws {
    let shortcut = try context.shortcuts.shortcut(name)
    let row = ShortcutRow(name: name, shortcut: shortcut)
    if shortcut.readsInput || !row.needed.isEmpty {
      let needs = shortcut.readsInput ? "standard input" : row.needed.joined(separator: ", ")
      throw OppiError(
        .badInput,
        "the shortcut \(name.text) needs \(needs), which no timer gives",
        hints: ["give it values of its own: oppi shortcuts edit \(name.text)"]
      )
    }
  }

  /// Shows what comes, and asks a person who is there.
  private static func agree(
    to next: [CalendarElapses.Elapse],
    _ options: Options,
    _ name: ShortcutName,
    in context: Context
  ) async throws {
    await context.console.status(StyledText(name.text, .name).with(" runs next:"))
    for line in ScheduleRow.lines(of: next) { await context.console.status(line) }
    let destination = context.console.policy.destination
    guard !options.isAgreed, destination.isInputTerminal, destination.isErrorTerminal,
      context.console.policy.form != .json, !context.console.policy.isQuiet
    else { return }
    await context.console.status("Schedule it? [Y/n]")
    let answer = try await context.standardInput(limit: 1024) { $0.contains(UInt8(ascii: "\n")) }
    let word = String(decoding: answer, as: UTF8.self).filter { !$0.isWhitespace }.lowercased()
    guard !answer.isEmpty, ["", "y", "yes"].contains(word) else {
      throw OppiError(.interrupted, "not scheduled", hints: ["nothing was written"])
    }
  }

  /// Writes the record first: who watches the clock may fire at once.
  private static func keep(
    _ schedule: Schedule,
    insteadOf before: ScheduleRecord?,
    in context: Context
  ) async throws {
    let store = context.schedules
    let now = context.now()
    try await store.update(schedule.name) { record throws(FileError) in
      record?.replace(with: schedule, at: now)
      record = record ?? ScheduleRecord(schedule, at: now)
    }
    do {
      try await context.install(schedule)
      if let old = before?.schedule, old.backend != schedule.backend {
        try await context.uninstall(old)
      }
    } catch {
      await restore(before?.schedule, insteadOf: schedule, in: context)
      throw error
    }
  }

  /// Puts back what was there before, as far as that can be done.
  private static func restore(
    _ old: Schedule?,
    insteadOf schedule: Schedule,
    in context: Context
  ) async {
    let store = context.schedules
    guard let old else {
      try? await store.update(schedule.name) { record throws(FileError) in
        record?.schedule.isEnabled = false
      }
      _ = try? await context.uninstall(schedule)
      try? await store.remove(schedule.name)
      return
    }
    await context.restoring(schedule.name) {
      try await store.update(schedule.name) { record throws(FileError) in record?.schedule = old }
    }
    // What could not be installed may not be there to be removed.
    if old.backend != schedule.backend { _ = try? await context.uninstall(schedule) }
    if old.isEnabled {
      await context.restoring(schedule.name) { try await context.install(old) }
    }
  }

  // MARK: - What is written

  /// A text that goes into a file of others, or into the crontab.
  struct File {
    let path: String
    let text: String
  }

  struct Plan {
    let row: ScheduleRow
    let files: [File]

    var lines: [StyledText] {
      let texts = files.flatMap { file -> [StyledText] in
        let lines = file.text.split(separator: "\n", omittingEmptySubsequences: false)
        return [StyledText(file.path, .name)] + lines.map { StyledText(String($0)) }
      }
      return [StyledText("next:")] + ScheduleRow.lines(of: row.next ?? []) + texts
    }
  }

  private static func files(of schedule: Schedule, in context: Context) throws -> [File] {
    switch schedule.backend {
    case .systemd:
      let folder = "\(context.paths.configHome)/systemd/user"
      return try context.units(of: schedule).files.map {
        File(path: "\(folder)/\($0.name)", text: $0.text)
      }
    case .cron:
      let lines = try ScheduledCommand(in: context).crontabLines(of: schedule)
      return [File(path: "crontab", text: lines.joined(separator: "\n"))]
    }
  }

  private static let fileShape: JSONShape<File> = [
    .member("path", "Where it goes; crontab for the user's crontab") { .string($0.path) },
    .member("text", "What it says") { .string($0.text) },
  ]

  private static let shape: JSONShape<Plan> = JSONShape(
    ScheduleRow.shape.members { $0.row } + [
      .list("files", "What it is for whoever watches the clock", fileShape) { $0.files }
    ]
  )
}
