// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel

/// Shortcuts that do not exist, are invalid or cannot be run as requested.
extension OppiError {
  static func noShortcut(_ name: ShortcutName, known: [ShortcutName]) -> OppiError {
    let close = Suggestions.closest(to: name.text, among: known.map(\.text)).first
    let hint = close.map { "did you mean '\($0)'?" } ?? "list them with: oppi shortcuts"
    return OppiError(.noSuchShortcut, "no shortcut '\(name.text)'", hints: [hint])
  }

  static func shortcutExists(_ name: ShortcutName) -> OppiError {
    OppiError(
      .cannotCreate,
      "shortcut \(name.text) already exists",
      hints: ["change it with: oppi shortcuts edit \(name.text)", "or add --replace"]
    )
  }

  /// A shortcut that has a schedule cannot be removed.
  static func shortcutHasSchedule(_ name: ShortcutName) -> OppiError {
    OppiError(
      .usage,
      "shortcut \(name.text) has a schedule",
      hints: ["remove the schedule first: oppi schedule remove \(name.text)"]
    )
  }

  /// `input` is reserved for standard input.
  static let inputAsVariable = OppiError(
    .usage,
    "'input' is replaced by standard input and cannot be set with --var"
  )

  /// A run with `--wait` cannot have a key.
  static func keyOfWaiting(_ name: ShortcutName) -> OppiError {
    OppiError(
      .usage,
      "shortcut \(name.text) has \"wait\": true, which cannot be used with --key"
    )
  }

  /// A run with `--wait` cannot queue its prompt.
  static func waitOfQueueing(_ name: ShortcutName) -> OppiError {
    OppiError(
      .usage,
      "shortcut \(name.text) has \"queue\": true, which cannot be used with --wait"
    )
  }

  static func emptyPrompt(_ name: ShortcutName) -> OppiError {
    OppiError(.badInput, "the prompt of shortcut \(name.text) is empty")
  }

  /// Placeholders without a value; `unused` is the name of a value that the prompt does not use.
  static func missingValues(_ names: [String], unused: String?, of name: ShortcutName) -> OppiError
  {
    let remark = unused.map { "; its prompt has no {{\($0)}}" } ?? ""
    let options = names.map { "--var \($0)=..." }.joined(separator: " ")
    return OppiError(
      .usage,
      "shortcut \(name.text) requires a value for \(names.joined(separator: ", "))\(remark)",
      hints: ["set it with: oppi run \(name.text) \(options)"]
    )
  }

  /// The command of the condition failed, with its exit status and output.
  static func conditionFailed(_ name: ShortcutName, status: Int, text: String) -> OppiError {
    let words = text.split(separator: "\n").last.map { ": \(String($0).safeLine(limit: 200))" }
    return OppiError(
      .checkFailed,
      "the condition of shortcut \(name.text) exited with status \(status)\(words ?? "")"
    )
  }

  /// The command of the condition did not end in time.
  static func conditionTimedOut(_ name: ShortcutName, within limit: Duration) -> OppiError {
    let words = limit.argumentText ?? "its limit"
    return OppiError(
      .checkFailed,
      "the condition of shortcut \(name.text) did not end within \(words)"
    )
  }

  /// The previous run for the output of the condition was interrupted.
  static func previousRunInterrupted(_ name: ShortcutName) -> OppiError {
    OppiError(
      .deliveryUnknown,
      "the previous run of \(name.text) for this output was interrupted; its prompt may have "
        + "been sent, and is not resent",
      hints: ["check with: oppi history", "send it with: oppi run --force \(name.text)"]
    )
  }

  /// The last shortcut of a chain is already in it.
  static func chainLoop(_ names: [ShortcutName]) -> OppiError {
    OppiError(.usage, "the chain \(chain(names)) is a loop; nothing was sent")
  }

  /// The first shortcuts of a chain that has too many.
  static func chainTooLong(_ names: [ShortcutName]) -> OppiError {
    OppiError(
      .usage,
      "the chain \(chain(names)) … has more than \(ShortcutChain.limit) followers; "
        + "nothing was sent"
    )
  }

  /// A value for a placeholder that the prompt does not have.
  static func noSuchPlaceholder(_ placeholder: String, in name: ShortcutName) -> OppiError {
    OppiError(
      .usage,
      "the prompt of shortcut \(name.text) has no {{\(placeholder)}}",
      hints: ["show it with: oppi shortcuts show \(name.text)"]
    )
  }

  private static func chain(_ names: [ShortcutName]) -> String {
    names.map(\.text).joined(separator: " → ")
  }

  static func invalidShortcut(_ name: ShortcutName, _ defect: Shortcut.Defect) -> OppiError {
    OppiError(.badInput, "shortcut \(name.text) \(defect.words)")
  }

  /// An invalid shortcut in a file, with a defect such as `has no prompt`.
  static func damagedShortcut(_ name: ShortcutName, _ defect: String, path: String) -> OppiError {
    OppiError(
      .badConfiguration,
      "shortcut \(name.text) \(defect) (\(path))",
      hints: ["correct it with: oppi shortcuts edit \(name.text)"]
    )
  }

  static let emptyEdit = OppiError(.badInput, "the file is empty; the shortcut was not changed")

  /// An invalid edit; its text is kept, and `command` continues it.
  init(invalidEdit error: OppiError, retry command: String) {
    self.init(
      .badInput,
      error.message,
      hints: ["the shortcut was not changed; continue your edit with: \(command)"]
    )
  }
}

extension Shortcut.Defect {
  /// The defect as a predicate, which follows the shortcut's name.
  var words: String {
    switch self {
    case .noPrompt: "has no prompt"
    case .nulInPrompt: "has a NUL character in its prompt"
    case .inputMismatch(readsInput: true):
      "reads standard input (\"input\": true), but its prompt has no {{input}}"
    case .inputMismatch(readsInput: false):
      "has {{input}} in its prompt, but does not read standard input (\"input\": true)"
    case .inputVariable: "has a variable 'input', which is reserved for standard input"
    case .unusedVariable(let name):
      "has a variable '\(name)', but its prompt has no {{\(name)}}"
    case .waitsAndQueues: "cannot have both \"wait\" and \"queue\""
    case .expiresWithoutQueue: "cannot have \"expires\" without \"queue\": true"
    case .onAskWithoutWait: "cannot have \"on-ask\" without \"wait\": true"
    case .whenWithoutCondition:
      "has {{when}} in its prompt, but no condition (\"when\")"
    case .whenVariable: "has a variable 'when', which is reserved for the output of its condition"
    case .checksWithoutWait:
      "cannot have \"schema\" or \"verify\" without \"wait\": true"
    case .thenWithoutWait: "cannot have \"then\" without \"wait\": true"
    case .maxCostWithoutWait: "cannot have \"max-cost\" without \"wait\": true"
    case .onLimitWithoutWait: "cannot have \"on-limit\" without \"wait\": true"
    }
  }
}
