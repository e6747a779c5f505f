// SPDX-License-Identifier: MIT

package import OppiModel
package import OppiSystem

/// Adds and removes shortcuts.
package struct EditShortcuts: Sendable {
  private let context: IntentContext

  package init(in context: IntentContext) { self.context = context }

  private var store: ShortcutStore { context.shortcuts }

  /// Checks that a name is free, or may be taken.
  ///
  /// - Parameters:
  ///   - name: The name of the shortcut.
  ///   - mayReplace: Whether an existing shortcut may be replaced.
  /// - Returns: Whether the shortcut is a new one.
  /// - Throws: `ShortcutError.exists`; `FileError`.
  package func check(_ name: ShortcutName, mayReplace: Bool) throws -> Bool {
    let isNew = try store.load(name.text) == nil
    guard mayReplace || isNew else { throw ShortcutError.exists(name) }
    return isNew
  }

  /// Writes a shortcut, in place of what an edit of it has left.
  ///
  /// - Parameters:
  ///   - file: Its texts.
  ///   - name: Its name.
  ///   - isNew: What ``check(_:mayReplace:)`` has returned.
  /// - Throws: `FileError`.
  package func add(
    _ file: ShortcutStore.File,
    as name: ShortcutName,
    isNew: Bool
  ) async throws(FileError) {
    // It goes on in no session of an earlier shortcut of this name, whose prompt may have been
    // delivered since that was removed.
    if isNew { try await context.shortcutSessions.forget(name.text) }
    try store.save(file, as: name.text)
    for isPrompt in [false, true] { try store.dropDraft(of: name.text, isPrompt: isPrompt) }
  }

  /// Removes a shortcut, a damaged one too; warns if the record of its session stays.
  ///
  /// - Throws: `ShortcutError` if there is none, or it has a schedule; `FileError`.
  package func remove(_ name: ShortcutName) async throws {
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
