// SPDX-License-Identifier: MIT

import OppiClient
import OppiModel
import OppiTerminal
import OppiText
import OppiWire

/// An action of the console for its loop.
enum ConsoleEffect: Sendable, Equatable {
  case refresh
  /// Reply to a request as it was shown; after a confirmed denial, send the reason to the agent.
  case reply(RequestReply, to: ListedRequest, because: String?)
  case read(ListedSession.ID, turns: Int)
  case send(String, to: ListedSession.ID)
  case stop(ListedSession.ID)
  case search(String)
  case edit(String)
  case readSchedules
  /// Resume or pause a schedule of this machine.
  case enable(ShortcutName, Bool)
  case runNow(ShortcutName)
  /// Compute the next two runs of a schedule, without writing anything.
  case plan(ShortcutName, ScheduleRequest, replaces: Bool)
  /// Write a schedule that was planned.
  case save(ShortcutName, ScheduleRequest, replaces: Bool)
  case readSettings
  /// End the access of a device to a server.
  case revoke(String, of: Fingerprint)
  /// Remove a rule from a server's policy.
  case removeRule(String, of: Fingerprint)
  /// Remove a server from this machine.
  case signOut(Fingerprint)
  /// Connect the chat to a session, instead of the one before.
  case openChat(ListedSession.ID)
  case showChat(ListedSession.ID)
  /// An effect of the chat with a session, over the stream that the chat knows.
  case chat(ChatEffect, ListedSession.ID, over: IntentWebSocket?)
  /// Exit; the screen itself decides when.
  case leave

  /// Whether it changes something on a server, so that leaving waits for its result.
  var isChange: Bool {
    switch self {
    case .reply, .send, .stop, .enable, .runNow, .save, .revoke, .removeRule, .signOut: true
    // The chat itself knows what is not confirmed.
    case .openChat, .showChat, .chat: false
    case .refresh, .read, .search, .edit, .readSchedules, .plan, .readSettings, .leave: false
    }
  }
}

/// An event for the console.
enum ConsoleNews: Sendable {
  /// A server's answer, or why there is none.
  case looked(Fingerprint, Result<FleetView.Answer, FleetView.Failure>)
  /// The recorded decisions on requests that a server no longer lists, by the ids of the requests.
  case decided(Fingerprint, [String: AuditEntry])
  case paired([(id: Fingerprint, name: String)])
  /// The result of a reply; `nil` if it did not reach the server. The text is safe to show.
  case replied(RequestReply, ListedRequest, DecisionOutcome?, text: String)
  case conversation(ListedSession.ID, Result<[Turn], FleetView.Failure>)
  /// The sessions that contain the searched text, and the servers that did not search.
  case found([ListedSession], silent: [String])
  /// The schedules of this machine and of the servers, and what could not be read, safe to show.
  case schedules([ScheduleItem], problems: [String])
  /// The next runs of a schedule that is being edited, or why it is invalid.
  case planned(ShortcutName, ScheduleRequest, Result<[StyledText], FleetView.Failure>)
  /// The servers and their devices.
  case settings([SettingsItem])
  /// A message that was not sent to a session.
  case unsent(String, to: ListedSession.ID)
  case chatWanted(ListedSession.ID)
  /// The chat is connected to a session, whose requests are of a kind; has the earlier messages, the
  /// oldest first.
  case chatOpened(ListedSession.ID, Dialect.Requests, history: [String])
  /// The chat with a session failed; the text is safe to show.
  case chatFailed(ListedSession.ID, String)
  case chat(ListedSession.ID, ChatNews)
  /// The text from the editor; `nil` if the editor failed, with the reason.
  case edited(String?, failure: String?)
  /// An effect that changes something has ended, after its results.
  case changeEnded
  case clock(Timestamp)
  /// A change that may or may not have reached its server; the text is safe to show.
  case unconfirmed(String)
  /// A notice, safe to show.
  case note(String)
}
