// SPDX-License-Identifier: MIT

import OppiModel

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
