// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel
import OppiTerminal
import OppiText

/// The form of a new or changed schedule: one field after the other, then the next two runs, then
/// the question whether to save it.
struct ScheduleForm: ListPage {
  private enum Step: Sendable {
    case name
    case trigger
    case zone
    case planning
    case confirm(ConsoleQuestion)
  }

  private var step: Step
  private var field = Composer.oneLine
  private(set) var name: ShortcutName?
  private var request = ScheduleRequest(ScheduleTrigger(.cron, ""))
  private(set) var note: String?
  private let isNew: Bool
  /// The names of the shortcuts of this machine, as far as they were read.
  private var shortcuts: [String] = []

  /// A form for a new schedule.
  init() { (step, isNew) = (.name, true) }

  /// A form for an existing schedule, whose other settings it keeps.
  init(changing name: ShortcutName, from request: ScheduleRequest) {
    (step, isNew, self.name, self.request) = (.trigger, false, name, request)
    field.replace(Self.text(of: request.trigger))
  }

  private static func text(of trigger: ScheduleTrigger) -> String {
    "\(trigger.kind.rawValue) \(trigger.text)"
  }

  // MARK: - Keys

  let hints = [KeyHint("Enter", "next"), KeyHint("Tab", "complete"), KeyHint("Esc", "cancel")]

  var opening: [ConsoleEffect] { isNew ? [.schedule(.readShortcuts)] : [] }

  /// The words that the field offers.
  private var offered: [String] {
    switch step {
    case .name: shortcuts
    case .trigger: Self.examples.map(\.trigger)
    case .zone: Self.zones
    case .planning, .confirm: []
    }
  }

  mutating func take(_ key: Key, in model: inout ConsoleModel) -> PageOutcome {
    note = nil
    switch step {
    case _ where key == .escape || key == .control("c"):
      model.note = Self.cancelled
      return .closes()
    case .confirm(var question):
      let outcome = question.take(key, in: &model)
      step = .confirm(question)
      return outcome
    case .name, .trigger, .zone:
      switch key {
      case .enter: return accept(field.text.safeLine(limit: 200))
      case .tab: field.complete(among: offered)
      case .newline: break
      default: _ = field.apply(key)
      }
    case .planning: break
    }
    return .stays()
  }

  private static let cancelled = "not saved"

  private mutating func accept(_ text: String) -> PageOutcome {
    switch step {
    case .name:
      guard let name = ShortcutName(text) else {
        note = "not the name of a shortcut; list them with: oppi shortcuts"
        break
      }
      self.name = name
      go(to: .trigger, with: "")
    case .trigger:
      guard let trigger = Self.trigger(text) else {
        note = "expects cron, every or at, as in the examples"
        break
      }
      request.trigger = trigger
      go(to: .zone, with: request.zone ?? "")
    case .zone:
      request.zone = text.isEmpty ? nil : text
      step = .planning
      if let name { return .stays([.schedule(.plan(name, request, replaces: !isNew))]) }
    case .planning, .confirm: break
    }
    return .stays()
  }

  private mutating func go(to step: Step, with text: String) {
    self.step = step
    field.replace(text)
  }

  /// Reads `cron FIELDS`, `every INTERVAL` or `at TIME`; a wrong time is found by the plan.
  static func trigger(_ text: String) -> ScheduleTrigger? {
    let words = text.split(separator: " ", maxSplits: 1).map(String.init)
    guard words.count == 2, let kind = ScheduleTrigger.Kind(rawValue: words[0]),
      kind != .every || (try? Duration(argument: words[1])) != nil
    else { return nil }
    return ScheduleTrigger(kind, words[1])
  }

  /// The question whether to save, if it is shown.
  var question: ConsoleQuestion? {
    get { if case .confirm(let question) = step { question } else { nil } }
    set {
      if question != nil, let newValue { step = .confirm(newValue) }
    }
  }

  /// Takes the next two runs of what is planned, or returns to the trigger with the reason why there
  /// are none; the plan of another form changes nothing.
  mutating func take(
    _ plan: Result<[StyledText], FleetView.Failure>,
    of planned: ShortcutName,
    _ plannedRequest: ScheduleRequest
  ) {
    guard case .planning = step, planned == name, plannedRequest == request else { return }
    switch plan {
    case .success(let next):
      let change = ConsoleChange(
        question: Self.text(of: request.trigger),
        details: ["next two runs:"],
        verb: "save",
        effects: [.schedule(.save(planned, request, replaces: !isNew))],
        cancelled: Self.cancelled
      )
      let lines = ([change.question] + change.details).map { StyledText($0) } + next
      step = .confirm(ConsoleQuestion(change, showing: head + lines))
    case .failure(let error):
      go(to: .trigger, with: Self.text(of: request.trigger))
      note = error.message
    }
  }

  mutating func take(_ news: ConsoleNews, in model: ConsoleModel) -> [ConsoleEffect] {
    switch news.own(ScheduleNews.self) {
    case .planned(let name, let request, let plan)?: take(plan, of: name, request)
    case .shortcuts(let names)?: shortcuts = names
    case .listed?, nil: break
    }
    return []
  }

  mutating func wasShown(at now: Duration) { question?.wasShown(at: now) }

  mutating func fit(_ size: ScreenSize, _ model: ConsoleModel) { question?.fit(size, model) }

  mutating func isShownAgain() { question?.isShownAgain() }

  // MARK: - View

  private var head: [StyledText] {
    let title = isNew ? "Add a schedule" : "Change the schedule of \(name?.text ?? "")"
    let shortcut = isNew ? name.map { StyledText("shortcut: \($0.text)") } : nil
    return [StyledText(title, .heading)] + [shortcut].compactMap(\.self)
  }

  func view(_ size: ScreenSize, in model: ConsoleModel) -> ScreenBlock {
    if let question { return question.view(size, in: model) }
    var (lines, prompt) = (head, "")
    switch step {
    case .name:
      lines.append(StyledText("The name of the shortcut to run.", .dim))
      prompt = "shortcut › "
    case .trigger:
      let width = Self.examples.map(\.trigger.count).max() ?? 0
      lines += Self.examples.map { trigger, meaning in
        let space = String(repeating: " ", count: width - trigger.count)
        return StyledText("  \(trigger)\(space)  \(meaning)", .dim)
      }
      prompt = "when › "
    case .zone:
      lines.append(StyledText(Self.text(of: request.trigger)))
      lines.append(StyledText("The time zone, for example Europe/Berlin; empty: local time.", .dim))
      prompt = "time zone › "
    case .planning: lines.append(StyledText("computing the next runs…", .dim))
    case .confirm: break
    }
    if let note { lines.append(StyledText(note, .error)) }
    let rows = lines.flatMap { $0.folded(to: size.columns) }
    guard prompt.isEmpty else { return field.field(prompt, below: rows, offering: offered, size) }
    return ScreenBlock(lines: rows, cursor: .focus(row: rows.count - 1))
  }

  private static let examples = [
    (trigger: "cron 0 9 * * 1-5", meaning: "at 9:00 on working days"),
    (trigger: "cron 0 2 * * *", meaning: "at 2:00 every night"),
    (trigger: "every 30m", meaning: "counted from midnight"),
    (trigger: "at 2026-12-24 18:00 local", meaning: "once"),
  ]

  private static let zones = [
    "UTC", "Europe/Berlin", "Europe/London", "America/New_York", "America/Los_Angeles",
    "Asia/Kolkata", "Asia/Tokyo", "Australia/Sydney",
  ]
}
