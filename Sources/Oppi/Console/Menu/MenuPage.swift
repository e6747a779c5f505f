// SPDX-License-Identifier: MIT

import OppiModel
import OppiRendering

/// A page of the menu; the pages below it are those to which the user returns.
enum MenuPage: Sendable {
  case main
  case section(MenuSection)
  case request(MenuRequest)
  case session(BoardSession.ID)
  case reply(MenuReply)
  case chat(MenuChat)
  case schedule(ScheduleItem.ID)
  case setting(SettingsItem.ID)
  case confirm(MenuConfirmation)
}

/// The parts of the main menu, in order.
enum MenuSection: CaseIterable, Sendable {
  case approvals
  case work
  case chat
  case schedules
  case settings

  var title: String {
    switch self {
    case .approvals: "Approvals"
    case .work: "Work"
    case .chat: "Chat"
    case .schedules: "Schedules"
    case .settings: "Settings"
    }
  }
}

/// What can be done with an item.
enum MenuAction: Sendable, Equatable {
  case peek
  case conversation
  case reply
  case stop
  case chat
  case runNow
  case enable
  case disable
  case details
  case revoke
  case removeRule
  case signOut

  var label: String {
    switch self {
    case .peek: "peek: hear the last turn"
    case .conversation: "hear the conversation"
    case .reply: "reply: send a message"
    case .stop: "stop the running turn"
    case .chat: "chat with the agent"
    case .runNow: "run it now"
    case .enable: "enable it"
    case .disable: "disable it"
    case .details: "details"
    case .revoke: "revoke its access"
    case .removeRule: "remove the rule"
    case .signOut: "remove the server from this machine"
    }
  }
}

/// A numbered line of a page.
struct MenuEntry: Sendable, Equatable {
  enum Target: Sendable, Equatable {
    case section(MenuSection)
    case request(BoardRequest.ID)
    case session(BoardSession.ID)
    case schedule(ScheduleItem.ID)
    case setting(SettingsItem.ID)
    case action(MenuAction)
  }

  /// What the user knows of the target: a choice is refused if it has changed.
  struct State: Sendable, Equatable {
    var text = ""
    var request: HumanRequest?
  }

  let target: Target
  let state: State
  /// The line without its number.
  let line: String

  init(_ target: Target, _ line: String, state: State = State()) {
    (self.target, self.line, self.state) = (target, line, state)
  }
}
