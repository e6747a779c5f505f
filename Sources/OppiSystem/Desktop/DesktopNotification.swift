// SPDX-License-Identifier: MIT

package import EventLoop
import OppiText

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
  /// How long it is shown, in whole milliseconds up to 24 days: `nil` for the daemon's choice, zero
  /// until the user dismisses it.
  package var expiry: Duration?

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

    /// The word of notify-send, and of the JSON for the user's command.
    package var word: String {
      switch self {
      case .low: "low"
      case .normal: "normal"
      case .critical: "critical"
      }
    }
  }

  /// The expiry as the specification has it: -1 for the daemon's choice.
  var expiryMilliseconds: Int32 { expiry.map { Int32(clamping: $0.milliseconds) } ?? -1 }
}

package enum DesktopEvent: Sendable, Equatable {
  /// A button was pressed; most desktops then close the notification.
  case action(tag: String, key: String)
  /// A daemon is running again, without the previous notifications.
  case daemonBack
}

/// The texts of a notification as they are sent: safe to show and limited in length.
package enum NotificationText {
  /// In characters.
  package static let summaryLimit = 200
  /// In characters; a longer body ends with `…`.
  package static let bodyLimit = 4_000
  /// In characters.
  static let labelLimit = 120
  /// In characters, for a key, a tag or a category.
  static let nameLimit = 1_000

  static func summary(of notification: DesktopNotification) -> String {
    let line = notification.summary.safeLine(limit: summaryLimit)
    // Some daemons reject an empty summary.
    return line.isEmpty ? "oppi" : line
  }

  /// The body; without buttons, it ends with the line that replaces them.
  static func body(of notification: DesktopNotification, offeringActions: Bool) -> String {
    let text = notification.body.safeBlock(limit: bodyLimit)
    let remark = notification.withoutActions.safeLine(limit: summaryLimit)
    let parts = offeringActions || notification.actions.isEmpty ? [text] : [text, remark]
    return parts.filter { !$0.isEmpty }.joined(separator: "\n")
  }

  /// A key, a tag or a category, on one line.
  static func name(_ text: String) -> String { text.safeLine(limit: nameLimit) }

  static func words(of action: DesktopNotification.Action) -> [String] {
    [name(action.key), action.label.safeLine(limit: labelLimit)]
  }

  /// The tag with a prefix that makes it unique among programs.
  static func stackTag(of notification: DesktopNotification) -> String {
    name("oppi-" + notification.tag)
  }

  /// Escapes text for the markup of bodies, by the Desktop Notifications Specification.
  static func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}

package enum DesktopError: Error, Equatable {
  case noLibrary(SharedLibrary.Failure)
  /// No session bus is known, as in a cron job or over ssh.
  case noBus
  /// Nothing answers as a bus at the address.
  case cannotConnect(reason: String)
  /// The bus closed the connection, which is no longer usable.
  case busGone
  case noDaemon
  case refused(reason: String)
  case cannotStart(program: String, SystemError)
  case failed(program: String, status: Int32)
  case timedOut
  case cancelled
  case outOfMemory

  init(_ error: EventLoop.WaitError) {
    self = error == .timedOut ? .timedOut : .cancelled
  }
}

extension DesktopError: CustomStringConvertible {
  /// The error in lower case, with a hint if there is one.
  package var description: String {
    switch self {
    case .noLibrary(.missing): "libdbus is not installed (package libdbus-1-3, dbus-libs or dbus)"
    case .noLibrary(.unusable(let reason)): "libdbus cannot be loaded: \(reason)"
    case .noLibrary(.lacks(let function)): "libdbus is too old: it has no \(function)"
    case .noBus:
      "no session bus found via DBUS_SESSION_BUS_ADDRESS or XDG_RUNTIME_DIR"
    case .cannotConnect(let reason): "cannot connect to the session bus: \(reason)"
    case .busGone: "lost the connection to the session bus"
    case .noDaemon: "no notification daemon is running"
    case .refused(let reason): "the notification daemon returned an error: \(reason)"
    case .cannotStart(let program, let cause): "cannot start \(program): \(cause)"
    case .failed(let program, let status): "\(program) exited with status \(status)"
    case .timedOut: "timed out"
    case .cancelled: "cancelled"
    case .outOfMemory: "out of memory"
    }
  }
}
