// SPDX-License-Identifier: MIT

import OppiModel

/// Why a shortcut cannot be changed or run.
enum ShortcutError: Error, Equatable {
  case notFound(ShortcutName, known: [ShortcutName])
  case exists(ShortcutName)
  /// A shortcut that has a schedule cannot be removed.
  case hasSchedule(ShortcutName)

  // MARK: - Runs

  /// `input` is reserved for standard input.
  case inputAsVariable
  /// A run with `--wait` cannot have a key.
  case keyOfWaiting(ShortcutName)
  /// A run with `--wait` cannot queue its prompt.
  case waitOfQueueing(ShortcutName)
  case emptyPrompt(ShortcutName)
  /// Placeholders without a value; `unused` is the name of a value that the prompt does not use.
  case missingValues([String], unused: String?, of: ShortcutName)
  /// The command of the condition failed, with its exit status and output.
  case checkFailed(ShortcutName, status: Int, text: String)
  /// The command of the condition did not end in time.
  case checkTimedOut(ShortcutName, within: Duration)
  /// The previous run for the output of the condition was interrupted.
  case interrupted(ShortcutName)
  /// The last shortcut of a chain is already in it.
  case chainLoop([ShortcutName])
  /// The first shortcuts of a chain that has too many.
  case chainTooLong([ShortcutName])
  /// A value for a placeholder that the prompt does not have.
  case noSuchPlaceholder(String, in: ShortcutName)
}
