// SPDX-License-Identifier: MIT

import CommandTable
package import OppiClient
package import OppiModel
import OppiSystem
import OppiTerminal

package enum ScheduleAddCommand {
  struct Options: Sendable, Equatable {
    @Required var name: ShortcutName
    /// With a prompt, the shortcut to create.
    var new = ShortcutsAdd.Options()
    var cron: String?
    var interval: Duration?
    var moment: String?
    /// Its trigger is that of the options above.
    var request = ScheduleRequest(ScheduleTrigger(.cron, ""))
    var isReplacing = false
    var isAgreed = false
    var isDryRun = false

    var hasPrompt: Bool { new.file != nil || !new.words.isEmpty }
  }

  static let command: Command = Command(
    "add",
    "Schedule a shortcut or a prompt",
    discussion: """
      With a prompt, the shortcut NAME is created too; if the schedule cannot be added, neither \
      is. -w, -m, -t, -F, --wait and --queue are as for 'oppi shortcuts add', which has more \
      options. Without a prompt, NAME is an existing shortcut.

      A shortcut has at most one schedule. --cron takes the five fields of crontab(5), or a \
      nickname such as @daily. --every takes an interval that divides an hour or a day evenly, \
      counted from midnight: 15m, 90m, 6h. --at runs once and requires a time zone: '2026-12-24 \
      18:00 local', an offset such as +01:00 or Z, or --tz.

      The backend is systemd's user manager if it is available, else cron, or the one given with \
      --backend. To run while you are logged out, systemd requires 'loginctl enable-linger'. \
      Cron supports only this machine's time zone and does not run missed jobs.

      Missed runs are skipped, or replaced by one run; with skip, a run that is more than five \
      minutes late also counts as missed. If the previous run is still active, a run is skipped, \
      or starts afterwards; of several waiting runs only the last one starts. A run is active \
      while its turn runs, or, with a shortcut that does not wait, while its session is busy or \
      its prompt is queued. With a shortcut that queues, each waiting run is kept in the outbox.

      A run belongs to a slot, the time when it was due, and a slot never runs twice. Times \
      skipped by daylight saving do not run, and repeated times run once. With a --queue \
      shortcut the slot is part of the prompt's key, so that the prompt is also delivered at \
      most once from the outbox.

      Failed runs are shown as desktop notifications; the third failure in a row is shown as a \
      series, and further ones are not shown until a run succeeds. --pause-on-failure then pauses \
      the schedule.

      The next two runs are shown first; on a terminal you must confirm them.
      """,
    examples: [
      ("oppi schedule add standup --cron '0 9 * * 1-5'", "Run at 9:00 on working days"),
      (
        "oppi schedule add tests -w api --cron @daily --queue 'fix the failing tests'",
        "Create a shortcut and its schedule"
      ),
      (
        "oppi schedule add nightly --cron '30 2 * * *' --tz Europe/Berlin --missed once",
        "Use another time zone; run once after missed runs"
      ),
      (
        "oppi schedule add triage --every 30m --jitter 2m",
        "Run every 30 minutes, with a random delay"
      ),
      ("oppi schedule add release --at '2026-12-24 18:00 local'", "Run once"),
    ],
    exitStatuses: [0, 64, 65, 66, 69, 73, 74, 78],
    members: shape.rows,
    options: Options(),
    arguments: prompt + trigger,
    validate: validate,
    run: run
  )

  private static let prompt: [Argument<Options>] = [
    .workspace(\.new.shortcut.workspace, "With a prompt: send it to this workspace"),
    .model(\.new.shortcut.model),
    .thinking(\.new.shortcut.thinking),
    .promptFile(\.new.file),
    .flag("wait", \.new.shortcut.isWaiting, "With a prompt: wait for the turn to end"),
    .flag("queue", \.new.shortcut.isQueueing, "With a prompt: queue it if undeliverable"),
  ]

  private static let trigger: [Argument<Options>] = [
    .option("cron", placeholder: "FIELDS", \.cron, "Minute, hour, day, month, weekday"),
    .option("every", \.interval, "Run at this interval, counted from midnight"),
    .option("at", placeholder: "TIME", \.moment, "Run once, at a date and time"),
    .option("tz", placeholder: "ZONE", \.request.zone, "Time zone, for example Europe/Berlin"),
    .option("missed", \.request.missed, "What to do with missed runs: skip them, or run once"),
    .option(
      "on-overlap",
      \.request.overlap,
      "If the previous run is still active: skip, or run after it"
    ),
    .option("jitter", \.request.jitter, "Maximum random delay"),
    .option("backend", \.request.backend, "Scheduler backend"),
    .flag(
      "pause-on-failure",
      \.request.pausesOnFailure,
      "Pause the schedule after three failures in a row"
    ),
    .flag("replace", \.isReplacing, "Replace an existing schedule, and with a prompt the shortcut"),
    .flag("yes", short: "y", \.isAgreed, "Do not ask for confirmation"),
    .flag("dry-run", short: "n", \.isDryRun, "Show what would be written, without writing it"),
    .shortcut(\.$name),
    .positional("prompt", \.new.words, "The prompt of a new shortcut, or - for standard input"),
  ]

  private static func validate(_ options: Options) throws(UsageError) {
    if !options.new.words.isEmpty, options.new.file != nil {
      throw UsageError(
        .contradiction("give the prompt either with --file or on the command line")
      )
    }
    if !options.hasPrompt, options.new != ShortcutsAdd.Options() {
      throw UsageError(
        .custom("the options of a new shortcut require a prompt"),
        hint: "give it as arguments, with -F FILE, or as - for standard input"
      )
    }
    let given = [options.cron != nil, options.interval != nil, options.moment != nil]
    guard given.count(where: \.self) == 1 else {
      throw UsageError(.custom("give one of --cron, --every and --at"))
    }
  }

  static func run(_ options: Options, in context: Context) async throws -> Report {
    let name = options.name
    let new = try await newShortcut(options, in: context)
    if let new { try check(new) } else { try check(name, in: context) }
    var request = options.request
    if let cron = options.cron { request.trigger.text = cron }
    if let interval = options.interval {
      request.trigger = ScheduleTrigger(.every, interval.argumentText ?? "")
    }
    if let moment = options.moment { request.trigger = ScheduleTrigger(.at, moment) }
    var add = AddSchedule(request: request, name: name, context: context.services)
    add.shortcutFiles = new?.files(in: context.shortcuts) ?? []
    let plan = try await add.plan(mayReplace: options.isReplacing || options.isDryRun)
    if options.isDryRun { return Report(shape.document(of: plan), .lines(lines(of: plan))) }
    try await add.prepare(plan)
    try await agree(to: plan, options, name, in: context)
    if let new {
      try await context.services.addShortcut(new.file(in: context.shortcuts), as: name) {
        try await add.keep(plan)
      }
    } else {
      try await add.keep(plan)
    }
    let backend = plan.schedule.backend
    return Report(
      shape.document(of: plan),
      status: StyledText("scheduled \(name.text) by \(backend.rawValue)"),
      notes: backend == .cron && context.crontab.isUnread ? [.warning(Schedules.unread)] : []
    )
  }

  /// The shortcut that is created with the schedule; `nil` without a prompt.
  private static func newShortcut(
    _ options: Options,
    in context: Context
  ) async throws -> NamedShortcut? {
    guard options.hasPrompt else { return nil }
    var new = options.new
    new.name = options.name
    new.isReplacing = options.isReplacing || options.isDryRun
    return try await ShortcutsAdd.shortcut(of: new, in: context)
  }

  /// Refuses a shortcut that needs values or standard input.
  package static func check(_ name: ShortcutName, in context: Context) throws {
    let shortcut = try context.shortcuts.shortcut(name)
    try check(NamedShortcut(name: name, shortcut: shortcut))
  }

  private static func check(_ row: NamedShortcut) throws {
    let edit = "oppi shortcuts edit \(row.name.text)"
    if row.shortcut.readsInput {
      throw OppiError(
        .badInput,
        "cannot schedule shortcut \(row.name.text): a scheduled shortcut cannot read input",
        hints: ["remove its member input with: \(edit)"]
      )
    }
    guard row.needed.isEmpty else {
      throw OppiError(
        .badInput,
        "cannot schedule shortcut \(row.name.text): it requires "
          + row.needed.joined(separator: ", "),
        hints: ["set default values with: \(edit)"]
      )
    }
  }

  /// Shows the next runs, and asks for confirmation on a terminal.
  private static func agree(
    to plan: AddSchedule.Plan,
    _ options: Options,
    _ name: ShortcutName,
    in context: Context
  ) async throws {
    let lines =
      [StyledText(name.text, .name).with(": next runs:")] + ScheduleOutlook.lines(of: plan.next)
    guard !options.isAgreed, context.canConfirm else {
      for line in lines { await context.output.status(line) }
      return
    }
    let answer = try await context.answer(to: lines + [StyledText("Schedule it?")], "[Y/n] ")
    guard let answer, ["", "y", "yes"].contains(answer) else {
      throw OppiError(
        .interrupted,
        "not scheduled",
        hints: ["nothing was written"]
      )
    }
  }

  private static func lines(of plan: AddSchedule.Plan) -> [StyledText] {
    let texts = plan.files.flatMap { file -> [StyledText] in
      let lines = file.text.split(separator: "\n", omittingEmptySubsequences: false)
      return [StyledText(file.path, .name)] + lines.map { StyledText(String($0)) }
    }
    return [StyledText("next:")] + ScheduleOutlook.lines(of: plan.next) + texts
  }

  private static let fileShape: JSONShape<ScheduleFile> = [
    .text("path", "Its path; crontab for the user's crontab") { $0.path },
    .text("text", "Its content") { $0.text },
  ]

  private static let shape: JSONShape<AddSchedule.Plan> = JSONShape(
    ScheduleOutlook.shape.members { $0.outlook } + [
      .list("files", "The files of a new shortcut and for the scheduler", fileShape) { $0.files }
    ]
  )
}

extension NamedShortcut {
  /// The files that define the shortcut.
  fileprivate func files(in store: ShortcutStore) -> [ScheduleFile] {
    let file = file(in: store)
    let prompt = file.prompt.map { ScheduleFile(path: store.promptPath(of: name.text), text: $0) }
    let json = ScheduleFile(path: store.path(of: name.text), text: file.text)
    return [json, prompt].compactMap(\.self)
  }
}
