// SPDX-License-Identifier: MIT

package import EventLoop

/// Where ways to tell this user something are found.
package protocol DesktopAccess: Sendable {
  /// Whether the environment leads to a session bus, so that there is a desktop to be expected.
  var hasSessionBus: Bool { get }

  /// The same for a program outside of the login, as under cron: where nothing leads to a session bus,
  /// the one of the user's login, if there is one.
  var ofLogin: any DesktopAccess { get }

  /// Finds who shows notifications.
  ///
  /// - Parameters:
  ///   - command: The user's own command and its arguments, where there is one, which is the last way.
  ///   - loop: The loop that all waiting is done on.
  /// - Returns: The first way that can be had.
  /// - Throws: What is wrong with the desktop, where there is no way.
  func notifier(
    command: [String]?,
    on loop: EventLoop
  ) async throws(DesktopError) -> any DesktopNotifier
}

/// A way to tell a person something who does not look at a terminal.
package protocol DesktopNotifier: Sendable {
  /// Whether the buttons of a notification are offered now; where not, its line for that case is
  /// shown.
  var offersActions: Bool { get async throws(DesktopError) }

  /// Shows a notification in the place of the one with the same tag.
  ///
  /// Text is made safe to show and cut to ``NotificationText``'s limits.
  func show(_ notification: DesktopNotification) async throws(DesktopError)

  /// Takes away the notification with a tag, where that can be done and there is one.
  func withdraw(_ tag: String) async throws(DesktopError)

  /// Waits for what becomes of the notifications; to be called by one task at a time.
  ///
  /// - Throws: `.cancelled`, or why nothing can be shown any more.
  func next() async throws(DesktopError) -> DesktopEvent
}
