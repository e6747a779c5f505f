// SPDX-License-Identifier: MIT

package import EventLoop

/// Finds ways to notify this user.
package protocol DesktopAccess: Sendable {
  /// Whether the environment has a session bus, so that a desktop is likely.
  var hasSessionBus: Bool { get }

  /// The access for a program outside of the login session, as under cron: without a session bus in
  /// the environment, it uses that of the user's login, if any.
  var ofLogin: any DesktopAccess { get }

  /// Returns the first available way to show notifications.
  ///
  /// - Parameters:
  ///   - command: The user's own command and its arguments, if any, used as the last resort.
  ///   - loop: The event loop.
  /// - Returns: The notifier.
  /// - Throws: The desktop's error if there is no way.
  func notifier(
    command: [String]?,
    on loop: EventLoop
  ) async throws(DesktopError) -> any DesktopNotifier
}

/// Notifies a user who is not looking at a terminal.
package protocol DesktopNotifier: Sendable {
  /// Whether buttons are available; if not, ``DesktopNotification/withoutActions`` is shown.
  var offersActions: Bool { get async throws(DesktopError) }

  /// Shows a notification, replacing the one with the same tag.
  ///
  /// Text is made safe to show and cut to the limits in ``NotificationText``.
  func show(_ notification: DesktopNotification) async throws(DesktopError)

  /// Removes the notification with a tag, if there is one and the notifier supports it.
  func withdraw(_ tag: String) async throws(DesktopError)

  /// Waits for the next event; only one task may call this at a time.
  ///
  /// - Throws: `.cancelled`, or why nothing can be shown any more.
  func next() async throws(DesktopError) -> DesktopEvent
}
