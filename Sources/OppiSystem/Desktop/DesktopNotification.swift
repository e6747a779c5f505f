// SPDX-License-Identifier: MIT

package struct DesktopNotification: Sendable, Equatable {
  /// The subject; a later notification with the same tag replaces this one.
  package var tag: String
  /// One line of plain text.
  package var summary: String
  /// The text below the summary, on several lines; no markup.
  package var body = ""
  package var actions: [Action] = []
  /// The last line of the body if buttons are not available: another way to answer.
  package var withoutActions = ""
  package var urgency = Urgency.normal
  /// A category of the specification, or a custom one such as `x-oppi.approval`.
  package var category: String?
  /// Whether it is not kept after it was shown.
  package var isTransient = false
  package var expiry = Expiry.byDaemon

  package init(tag: String, summary: String) {
    (self.tag, self.summary) = (tag, summary)
  }

  package struct Action: Sendable, Equatable {
    /// The key reported for a press; `default` is a click on the notification itself.
    ///
    /// A press may coincide with a replacement: the key of a decision must name its subject.
    package var key: String
    package var label: String

    package init(key: String, label: String) {
      (self.key, self.label) = (key, label)
    }
  }

  /// The urgency levels of the specification.
  package enum Urgency: UInt8, Sendable, CaseIterable {
    case low
    case normal
    /// Most desktops show it until the user dismisses it.
    case critical
  }

  package enum Expiry: Sendable, Equatable {
    case byDaemon
    case never
    /// In whole milliseconds, from 1 ms up to 24 days.
    case after(Duration)
  }
}

package enum DesktopEvent: Sendable, Equatable {
  /// A button was pressed.
  ///
  /// Most desktops then close the notification, which is reported as well.
  case action(tag: String, key: String)
  case closed(tag: String, reason: CloseReason)
  /// The daemon exited, and all notifications are gone.
  case daemonGone
  /// A daemon is running again, without the previous notifications.
  case daemonBack

  /// The close reasons of the specification.
  package enum CloseReason: UInt32, Sendable {
    case expired = 1
    case dismissed
    case withdrawn
    case other
  }
}
