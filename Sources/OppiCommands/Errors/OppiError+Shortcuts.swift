// SPDX-License-Identifier: MIT

import OppiModel

/// Shortcuts that do not exist, are invalid or cannot be run as requested.
extension OppiError {
  /// An unknown shortcut; the hint is the most similar name, if any.
  static func noSuchShortcut(_ name: ShortcutName, closest close: String?) -> OppiError {
    let hint = close.map { "did you mean '\($0)'?" } ?? "list them with: oppi shortcuts"
    return OppiError(.noSuchShortcut, "no shortcut '\(name.text)'", hints: [hint])
  }

  static func shortcutExists(_ name: ShortcutName) -> OppiError {
    OppiError(
      .cannotCreate,
      "shortcut '\(name.text)' already exists",
      hints: ["change it with: oppi shortcuts edit \(name.text)", "or add --replace"]
    )
  }

  /// An invalid shortcut on the command line, with a defect such as `has no prompt`.
  static func invalidShortcut(_ name: ShortcutName, _ defect: String) -> OppiError {
    OppiError(.badInput, "shortcut \(name.text) \(defect)")
  }

  /// An invalid shortcut in a file, with a defect such as `has no prompt`.
  static func damagedShortcut(_ name: ShortcutName, _ defect: String, path: String) -> OppiError {
    OppiError(
      .badConfiguration,
      "shortcut \(name.text) \(defect) (\(path))",
      hints: ["correct it with: oppi shortcuts edit \(name.text)"]
    )
  }

  static func shortcutHasSchedule(_ name: ShortcutName) -> OppiError {
    OppiError(
      .usage,
      "shortcut \(name.text) has a schedule",
      hints: ["remove the schedule first: oppi schedule remove \(name.text)"]
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

// MARK: - Runs

extension OppiError {
  /// A `--var` for `input`, which is standard input.
  static let inputAsVariable = OppiError(
    .usage,
    "'input' is replaced by standard input and cannot be set with --var"
  )

  static func keyOfWaiting(_ name: ShortcutName) -> OppiError {
    OppiError(.usage, "shortcut \(name.text) has \"wait\": true, which cannot be used with --key")
  }

  static func emptyPrompt(of name: ShortcutName) -> OppiError {
    OppiError(.badInput, "the prompt of shortcut \(name.text) is empty")
  }

  /// Placeholders without a value; `unused` is a value whose name is not in the prompt.
  static func missingValues(
    _ names: [String],
    unused: String?,
    of name: ShortcutName
  ) -> OppiError {
    let remark = unused.map { "; its prompt has no {{\($0)}}" } ?? ""
    let options = names.map { "--var \($0)=..." }.joined(separator: " ")
    return OppiError(
      .usage,
      "shortcut \(name.text) requires a value for \(names.joined(separator: ", "))\(remark)",
      hints: ["set it with: oppi run \(name.text) \(options)"]
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
}
