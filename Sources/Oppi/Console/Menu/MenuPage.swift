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

/// The chat with a session inside the menu.
struct MenuChat: Sendable {
  let id: BoardSession.ID
  /// `nil` until the chat is open.
  var lines: ChatLines?

  init(_ id: BoardSession.ID) { self.id = id }

  var isUnsettled: Bool { lines?.state.isUnsettled ?? false }
}

/// A change that needs the word `yes`; any other line cancels it.
struct MenuConfirmation: Sendable {
  let lines: [StyledText]
  let effect: ConsoleEffect
  private var shownAt: Duration?

  init(_ change: ConsoleChange) {
    lines = ([change.question] + change.details + ["type yes; anything else cancels"])
      .map { StyledText($0) }
    effect = change.effect
  }

  mutating func wasShown(at now: Duration) { shownAt = shownAt ?? now }

  /// Whether a line may confirm the change; `typed` is when it was read.
  func isRead(at typed: Duration) -> Bool {
    shownAt.map { typed >= $0 + ApprovalPolicy.typingPause } ?? false
  }
}

/// A message to a session, which is the next line of the user.
struct MenuReply: Sendable {
  let id: BoardSession.ID
  private var shownAt: Duration?

  init(to id: BoardSession.ID) { self.id = id }

  mutating func wasShown(at now: Duration) { shownAt = shownAt ?? now }

  /// Whether a line was typed for the message, and not for something before it.
  func isMeant(at typed: Duration) -> Bool {
    shownAt.map { typed >= $0 + ApprovalPolicy.typingPause } ?? false
  }
}

/// Lines about what happens while the user types: at most one a second, the others as a number.
struct NewsLines: Sendable {
  private static let pause = Duration.seconds(1)

  private var lastAt: Duration?
  /// The first line that waits.
  private var first: String?
  /// The number of lines behind ``first``.
  private var others = 0

  /// Adds a line; returns the line to print now, if any.
  mutating func add(_ line: String, at now: Duration) -> String? {
    if first == nil { first = line } else { others += 1 }
    return woke(at: now)
  }

  /// Returns the line that has waited for long enough.
  mutating func woke(at now: Duration) -> String? {
    if let lastAt, now < lastAt + Self.pause { return nil }
    guard let line = first else { return nil }
    let more = others > 0 ? "; and \(others) more" : ""
    (lastAt, first, others) = (now, nil, 0)
    return "news: \(line)\(more)"
  }
}
