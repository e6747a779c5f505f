// SPDX-License-Identifier: MIT

/// Something that a person shall see on the desktop.
package struct DesktopNotification: Sendable, Equatable {
  /// What it is about, in the words of whoever shows it: a later one with the same tag takes its
  /// place.
  package var tag: String
  /// One line, shown as it is.
  package var summary: String
  /// What follows under the summary, on several lines; no markup.
  package var body = ""
  /// The buttons, in their order.
  package var actions: [Action] = []
  /// The line that ends the body where buttons are not offered: how else to answer.
  package var withoutActions = ""
  package var urgency = Urgency.normal
  /// A category of the Desktop Notifications Specification, or one of one's own: `x-oppi.approval`.
  package var category: String?
  /// Whether it is not to be kept once it was shown.
  package var isTransient = false
  package var expiry = Expiry.byDaemon

  package init(tag: String, summary: String) {
    (self.tag, self.summary) = (tag, summary)
  }

  /// A button.
  package struct Action: Sendable, Equatable {
    /// What is told when it is pressed; `default` stands for a click on the notification itself.
    ///
    /// A press may cross with a replacement: a key that decides something names what it decides.
    package var key: String
    package var label: String

    package init(key: String, label: String) {
      (self.key, self.label) = (key, label)
    }
  }

  /// How much it matters, as the specification numbers it.
  package enum Urgency: UInt8, Sendable, CaseIterable {
    case low
    case normal
    /// Most desktops show it until somebody has seen it.
    case critical
  }

  /// When it goes away by itself.
  package enum Expiry: Sendable, Equatable {
    case byDaemon
    case never
    /// Whole milliseconds count, from 1 up to 24 days.
    case after(Duration)
  }
}

/// What became of a notification.
package enum DesktopEvent: Sendable, Equatable {
  /// A button was pressed. Most desktops then take the notification away, which is told, too.
  case action(tag: String, key: String)
  /// It is no longer seen.
  case closed(tag: String, reason: CloseReason)
  /// Who shows notifications went away, and all of them with it.
  case daemonGone
  /// Somebody shows notifications again, and none of those that there were.
  case daemonBack

  /// Why it is no longer seen, as the specification numbers it.
  package enum CloseReason: UInt32, Sendable {
    case expired = 1
    case dismissed
    case withdrawn
    case other
  }
}
