// SPDX-License-Identifier: MIT

import OppiModel
import OppiSystem

/// Adds and removes shortcuts.
struct EditShortcuts: Sendable {
  private let context: IntentContext

  init(in context: IntentContext) { self.context = context }

  private var store: ShortcutStore { context.shortcuts }

  /// Checks that a name is unused, or that its shortcut may be replaced.
  ///
  /// - Parameters:
  ///   - name: The name of the shortcut.
  ///   - mayReplace: Whether an existing shortcut may be replaced.
  /// - Returns: Whether the shortcut is new.
  /// - Throws: `ShortcutError.exists`; `FileError`.
  func check(_ name: ShortcutName, mayReplace: Bool) throws -> Bool {
    let isNew = try store.load(name.text) == nil
    guard mayReplace || isNew else { throw ShortcutError.exists(name) }
    return isNew
  }

  /// Writes a shortcut, and discards a rejected edit of it.
  ///
  /// - Parameters:
  ///   - file: Its texts.
  ///   - name: Its name.
  ///   - isNew: The result of ``check(_:mayReplace:)``.
  /// - Throws: `FileError`.
  func add(
    _ file: ShortcutStore.File,
    as name: ShortcutName,
    isNew: Bool
  ) async throws(FileError) {
    // A new shortcut does not continue the session of a removed shortcut with the same name, whose
    // prompt may have been delivered after the removal.
    if isNew {
      try await context.shortcutSessions.forget(name.text)
      try await context.conditions.forget(name.text)
    }
    try store.save(file, as: name.text)
    for isPrompt in [false, true] { try store.dropDraft(of: name.text, isPrompt: isPrompt) }
  }

  /// Removes a shortcut, even a damaged one; warns if the record of its session cannot be removed.
  ///
  /// - Throws: `ShortcutError` if the shortcut does not exist or has a schedule; `FileError`.
  func remove(_ name: ShortcutName) async throws {
    _ = try store.existing(name)
    guard try !context.schedules.all().contains(name) else {
      throw ShortcutError.hasSchedule(name)
    }
    try store.remove(name.text)
    do {
      try await context.shortcutSessions.forget(name.text)
    } catch {
      await context.reporter.warn(
        "could not remove the record of the shortcut's session",
        because: error
      )
    }
  }
}
