// SPDX-License-Identifier: MIT

import OppiClient
import OppiModel
import OppiTerminal
import OppiText

/// The line in which a setting is changed, with its meaning and its choices, and then the question
/// whether to save it.
struct SettingField: ListPage {
  private enum Step: Sendable {
    case value
    case confirm(ConsoleQuestion)
  }

  private static let cancelled = "the setting was not changed"
  /// A longer value could not be read before it is confirmed.
  private static let valueLimit = 400

  private let setting: ShownSetting
  private let choices: [String]
  private var step = Step.value
  private var field = Composer.oneLine
  private var note: String?

  init(_ setting: ShownSetting, choices: [String]) {
    (self.setting, self.choices) = (setting, choices)
    field.replace(setting.value ?? "")
  }

  var hints: [KeyHint] {
    if case .confirm(let question) = step { return question.hints }
    let tab = choices.isEmpty ? [] : [KeyHint("Tab", "complete")]
    return [KeyHint("Enter", "next")] + tab + [KeyHint("Esc", "cancel")]
  }

  // MARK: - Keys

  mutating func take(_ key: Key, in model: inout ConsoleModel) -> PageOutcome {
    note = nil
    if case .confirm(var question) = step {
      let outcome = question.take(key, in: &model)
      step = .confirm(question)
      return outcome
    }
    switch key {
    case .escape, .control("c"):
      model.note = Self.cancelled
      return .closes()
    case .enter where field.text == setting.value ?? "":
      model.note = Self.cancelled
      return .closes()
    case .enter: accept(field.text)
    case .tab: field.complete(among: choices)
    case .newline: break
    default: _ = field.apply(key)
    }
    return .stays()
  }

  private mutating func accept(_ value: String) {
    guard value.safeLine(limit: Self.valueLimit) == value else {
      note = "expects one line of at most \(Self.valueLimit) characters that can be shown"
      return
    }
    do throws(OppiError) {
      if !value.isEmpty { try ConfigSet.check(value, for: setting.key) }
      let change = ConsoleChange.set(setting, to: value, cancelled: Self.cancelled)
      step = .confirm(ConsoleQuestion(change))
    } catch {
      note = error.message
    }
  }

  private var question: ConsoleQuestion? {
    get { if case .confirm(let question) = step { question } else { nil } }
    set { if question != nil, let newValue { step = .confirm(newValue) } }
  }

  mutating func wasShown(at now: Duration) { question?.wasShown(at: now) }

  mutating func fit(_ size: ScreenSize, _ model: ConsoleModel) { question?.fit(size, model) }

  mutating func isShownAgain() { question?.isShownAgain() }

  // MARK: - View

  func view(_ size: ScreenSize, in model: ConsoleModel) -> ScreenBlock {
    if let question { return question.view(size, in: model) }
    var lines = setting.page
    if setting.value != nil { lines.append(StyledText("An empty value removes it.", .dim)) }
    if let note { lines.append(StyledText(note, .error)) }
    let head = lines.flatMap { $0.folded(to: size.columns) }
    return field.field("value › ", below: head, offering: choices, size)
  }
}

extension ConsoleChange {
  /// `value` is empty to remove the setting.
  fileprivate static func set(
    _ setting: ShownSetting,
    to value: String,
    cancelled: String
  ) -> ConsoleChange {
    let name = setting.key.name
    let fallback = setting.key.defaultText.map { "The default applies then: \($0)." }
    let details = ["now: \(setting.stateText.plain)", value.isEmpty ? fallback : nil]
    return ConsoleChange(
      question: value.isEmpty ? "Remove the setting \(name)?" : "Set \(name) to '\(value)'?",
      details: details.compactMap(\.self),
      verb: value.isEmpty ? "remove" : "set",
      effects: [.settings(.set(setting.key, to: value))],
      cancelled: cancelled
    )
  }
}
