// SPDX-License-Identifier: MIT

package import OppiModel
package import OppiSystem

/// Something that a watch tells as it happens.
package enum WatchEvent: Sendable {
  /// An alert, once, however often a desktop has to show it.
  case alert(Alert, AlertText, at: Timestamp)
  /// A button was pressed.
  case press(WatchPress)
  /// A server that could not be reached answers again.
  case serverBack(name: String)
  /// A prompt of the outbox was tried, or expired.
  case outbox(WatchOutbox.News)
}

/// What came of a press of a button.
package enum WatchPress: Sendable {
  /// A decision was brought to the request's server, or could not be.
  case decided(
    PermissionDecision,
    PermissionRequest,
    Result<DecisionOutcome, any Error>
  )
  /// The button no longer stands for a request; nothing was decided.
  case outdated
}

/// Puts into words and prints what a watch tells.
package protocol WatchTeller: Sendable {
  /// Returns an alert in the words of a notification; the request is the one that the alert is about,
  /// if that is beyond doubt.
  func text(of alert: Alert, _ request: PermissionRequest?, at now: Timestamp) -> AlertText
  /// Returns many alerts in the words of one notification.
  func text(of alerts: [Alert]) -> AlertText
  /// Returns the title and the body of the notification that follows a press.
  func note(on press: WatchPress) -> (title: String, body: String)
  /// Returns the notification about a prompt of the outbox; `nil` if the user need not act.
  func notification(of news: WatchOutbox.News) -> DesktopNotification?
  /// Prints an event.
  ///
  /// - Throws: If the output cannot be written, which ends the watch.
  func tell(_ event: WatchEvent) async throws
}
