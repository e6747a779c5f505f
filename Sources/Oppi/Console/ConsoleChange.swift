// SPDX-License-Identifier: MIT

import OppiModel
import OppiRendering

/// A change that the user must confirm: the question, its details and consequences, and the effect.
struct ConsoleChange: Sendable, Equatable {
  let question: String
  let details: [String]
  /// One or two words.
  let verb: String
  let effect: ConsoleEffect
  /// The notice after a cancellation.
  var cancelled = "nothing was changed"
  /// The notice until the result is known.
  var confirmed: String?

  /// `session` is `nil` if it is no longer listed.
  static func stop(_ id: BoardSession.ID, _ session: BoardSession?) -> ConsoleChange {
    let subject = session.map { [$0.status.goal ?? "(no message yet)", WorkRows.place(of: $0)] }
    return ConsoleChange(
      question: "Stop the running turn of this session?",
      details: (subject ?? [id.sessionID]) + ["A pending request of the turn is denied."],
      verb: "stop",
      effect: .stop(id),
      cancelled: "not stopped",
      confirmed: "stopping the turn"
    )
  }

  private static let waiting = "waiting for confirmation"

  static func enable(_ shortcut: ShortcutName, _ isOn: Bool) -> ConsoleChange {
    ConsoleChange(
      question: "\(isOn ? "Enable" : "Disable") the schedule of \(shortcut.text)?",
      details: [
        isOn ? "Its prompt is sent at the next scheduled time." : "Its next runs are skipped."
      ],
      verb: isOn ? "enable" : "disable",
      effect: .enable(shortcut, isOn),
      confirmed: waiting
    )
  }

  static func run(_ shortcut: ShortcutName) -> ConsoleChange {
    ConsoleChange(
      question: "Run the shortcut \(shortcut.text) now?",
      details: ["Its prompt is sent at once; the scheduled runs are not affected."],
      verb: "run",
      effect: .runNow(shortcut),
      confirmed: waiting
    )
  }

  /// The removal of what an item shows from its server; `nil` for an item that cannot be removed.
  ///
  /// `server` is the local name.
  static func remove(_ item: SettingsItem, from server: String) -> ConsoleChange? {
    guard item.isRevocable else { return nil }
    switch item.id {
    case .device(let serverID, let deviceID):
      let own = item.isOwn ? ["This is the access of this machine."] : []
      return ConsoleChange(
        question: "End the access of \(item.label) to \(server)?",
        details: ["It must be paired again to get access."] + own,
        verb: "revoke",
        effect: .revoke(deviceID, of: serverID)
      )
    case .rule(let serverID, let ruleID):
      return ConsoleChange(
        question: "Remove this rule from \(server)?",
        details: item.detail.dropFirst().map(\.plain),
        verb: "remove",
        effect: .removeRule(ruleID, of: serverID)
      )
    case .server: return nil
    }
  }

  static func signOut(of server: String, _ id: Fingerprint) -> ConsoleChange {
    ConsoleChange(
      question: "Remove \(server) from this machine?",
      details: [
        "Its credential and cached workspaces are removed here.",
        "Sessions, schedules and other devices stay on the server. The access of this machine ends "
          + "there if the server knows devices; a token of an older server stays valid.",
      ],
      verb: "sign out",
      effect: .signOut(id)
    )
  }
}
