// SPDX-License-Identifier: MIT

import OppiModel
import OppiSystem

/// An event that a watch reports.
enum WatchEvent: Sendable {
  /// An alert, reported once even if the desktop shows it several times.
  case alert(Alert, AlertText, at: Timestamp)
  case press(WatchPress)
  /// An unreachable server answers again.
  case serverBack(name: String)
  /// A queued prompt was tried, or expired.
  case outbox(WatchOutbox.News)
  /// A pending request was passed to the user's command; not if the command failed.
  case passed(ListedRequest, isSent: Bool, at: Timestamp)
  /// A pending request was denied by a rule, or could not be.
  case denied(ListedRequest, Result<DecisionOutcome, any Error>, at: Timestamp)
}

/// The result of pressing a button.
enum WatchPress: Sendable {
  /// A reply was sent, or could not be.
  case decided(
    RequestReply,
    HumanRequest,
    Result<DecisionOutcome, any Error>
  )
  /// The button's request is no longer known; no decision was sent.
  case outdated
  /// The button was pressed before its request could be read; no decision was sent.
  case hasty
}

/// Words and prints the events of a watch.
protocol WatchTeller: Sendable {
  /// The notification text of an alert; `request` is `nil` if it cannot be identified for certain.
  func text(of alert: Alert, _ request: HumanRequest?, at now: Timestamp) -> AlertText
  /// The text of one notification for many alerts.
  func text(of alerts: [Alert]) -> AlertText
  /// The title and body of the notification after a press.
  func note(on press: WatchPress) -> (title: String, body: String)
  /// The title and body of the notification after a denial by a rule.
  func note(
    onDenialOf row: ListedRequest,
    _ result: Result<DecisionOutcome, any Error>
  ) -> (title: String, body: String)
  /// The object that the user's command gets for a request that stays pending.
  func document(of row: ListedRequest, pendingSince begin: Timestamp, at now: Timestamp)
    -> JSONValue
  /// The notification about a queued prompt; `nil` if the user need not act.
  func notification(of news: WatchOutbox.News) -> DesktopNotification?
  /// - Throws: If the output cannot be written, which ends the watch.
  func tell(_ event: WatchEvent) async throws
}
