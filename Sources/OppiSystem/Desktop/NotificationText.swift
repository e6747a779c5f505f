// SPDX-License-Identifier: MIT

import OppiModel

/// The texts of a notification as they are handed out: safe to show, and no longer than anybody
/// reads in passing.
package enum NotificationText {
  /// The most characters of a summary.
  package static let summaryLimit = 200
  /// The most characters of a body; a longer one ends with `…`.
  package static let bodyLimit = 4_000
  /// The most characters of a label.
  static let labelLimit = 120
  /// The most characters of a key, a tag or a category.
  static let nameLimit = 1_000

  static func summary(of notification: DesktopNotification) -> String {
    let line = notification.summary.safeLine(limit: summaryLimit)
    // Some daemons refuse what has none.
    return line.isEmpty ? "oppi" : line
  }

  /// The body with the line that stands in for buttons, where they are not offered.
  static func body(of notification: DesktopNotification, offeringActions: Bool) -> String {
    let text = notification.body.safeBlock(limit: bodyLimit)
    let remark = notification.withoutActions.safeLine(limit: summaryLimit)
    let parts = offeringActions || notification.actions.isEmpty ? [text] : [text, remark]
    return parts.filter { !$0.isEmpty }.joined(separator: "\n")
  }

  /// A key, a tag or a category, on one line.
  static func name(_ text: String) -> String { text.safeLine(limit: nameLimit) }

  /// The key and the label of a button.
  static func words(of action: DesktopNotification.Action) -> [String] {
    [name(action.key), action.label.safeLine(limit: labelLimit)]
  }

  /// What stands for the tag among those of all programs.
  static func stackTag(of notification: DesktopNotification) -> String {
    name("oppi-" + notification.tag)
  }

  /// Text in the markup that bodies may have, by the Desktop Notifications Specification.
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
