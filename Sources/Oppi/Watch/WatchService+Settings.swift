// SPDX-License-Identifier: MIT

import OppiClient
import OppiModel
import OppiTerminal

/// The settings of a watch, as last read.
struct WatchSettings: Sendable {
  /// Makes the rules of a watch from settings.
  typealias Rules = @Sendable (ConfigFile.Settings) throws -> WatchRules

  var present: ConfigFile.Settings
  let rules: Rules
}

/// Settings that change while a watch runs.
extension WatchService {
  /// Reads the settings again, and applies them if they have changed.
  ///
  /// If they cannot be read or are invalid, the watch continues with the known rules.
  mutating func readSettings() async {
    guard var settings else { return }
    do {
      let present = try context.config.load()
      guard present.json != settings.present.json else { return }
      settings.present = present
      self.settings = settings
      apply(try settings.rules(present))
      settingsTrouble = nil
      lines.send(.step(status: StyledText("settings read again: \(present.path)")))
      await warnOfRules()
    } catch {
      let message = context.reporter.reason(of: error).message
      guard settingsTrouble != message else { return }
      settingsTrouble = message
      await context.reporter.warn("the settings are not read again: \(message)")
    }
  }

  func warnOfRules() async {
    guard rules.escalationCommand != nil, rules.again == nil else { return }
    await context.reporter.warn("notify.escalate has no effect without notify.again")
  }

  private mutating func apply(_ new: WatchRules) {
    let old = rules
    rules = new
    escalation.forgetRules()
    if !new.escalates { escalation.keep([]) }
    if new.isPrivate != old.isPrivate {
      for tag in desktop.tags { order(.withdraw(tag)) }
      alerts.forgetShown()
    }
    if new.command != old.command { leaveCommand() }
  }
}
