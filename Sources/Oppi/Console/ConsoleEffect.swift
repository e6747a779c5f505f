// SPDX-License-Identifier: MIT

import OppiClient
import OppiModel
import OppiTerminal
import OppiText
import OppiWire

/// An action of the console for its loop.
enum ConsoleEffect: Sendable {
  case refresh
  /// Reply to a request as it was shown; after a confirmed denial, send the reason to the agent.
  case reply(RequestReply, to: ListedRequest, because: String?)
  case send(String, to: ListedSession.ID)
  case edit(String)
  /// Copy a text to the clipboard of the terminal.
  case copy(String)
  /// Open a session in the chat.
  case showChat(ListedSession.ID)
  /// Show the form of a prompt for a new session.
  case newPrompt
  /// Exit; the screen itself decides when.
  case leave
  /// An action of a tab.
  case own(any TabEffect)

  /// Whether it changes something on a server, so that leaving waits for its result.
  var isChange: Bool {
    switch self {
    case .reply, .send: true
    case .refresh, .edit, .copy, .showChat, .newPrompt, .leave: false
    case .own(let effect): effect.isChange
    }
  }

  /// Whether a turn or its requests have changed afterwards, so that the servers are queried.
  var changesTurns: Bool {
    switch self {
    case .reply: true
    case .refresh, .send, .edit, .copy, .showChat, .newPrompt, .leave: false
    case .own(let effect): effect.changesTurns
    }
  }
}

extension ConsoleEffect: Equatable {
  static func == (first: ConsoleEffect, second: ConsoleEffect) -> Bool {
    switch (first, second) {
    case (.refresh, .refresh), (.newPrompt, .newPrompt), (.leave, .leave): true
    case (.reply(let reply, let to, let why), .reply(let other, let otherTo, let otherWhy)):
      (reply, why) == (other, otherWhy) && to == otherTo
    case (.send(let text, let to), .send(let other, let otherTo)): text == other && to == otherTo
    case (.edit(let text), .edit(let other)), (.copy(let text), .copy(let other)): text == other
    case (.showChat(let id), .showChat(let other)): id == other
    case (.own(let effect), .own(let other)): effect.isEqual(to: other)
    default: false
    }
  }
}

/// What a tab does outside of the screen.
protocol TabEffect: Sendable, Equatable {
  /// Whether it changes something on a server, so that leaving waits for its result.
  var isChange: Bool { get }
  /// Whether a turn or its requests have changed afterwards, so that the servers are queried.
  var changesTurns: Bool { get }

  /// Performs it, and reports what came of it.
  func perform(in console: ConsoleLoop) async
}

extension TabEffect {
  var changesTurns: Bool { false }

  fileprivate func isEqual(to other: any TabEffect) -> Bool { (other as? Self) == self }
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
  /// A message that was not sent to a session.
  case unsent(String, to: ListedSession.ID)
  /// The text from the editor; `nil` if the editor failed, with the reason.
  case edited(String?, failure: String?)
  /// An effect that changes something has ended, after its results.
  case changeEnded
  case clock(Timestamp)
  /// A change that may or may not have reached its server; the text is safe to show.
  case unconfirmed(String)
  /// A change that was not made, and why; safe to show.
  case failed(String)
  /// A notice, safe to show.
  case note(String)
  /// What came of an effect of a tab.
  case own(any TabNews)

  /// The news of a tab; `nil` for other news.
  func own<News: TabNews>(_ type: News.Type = News.self) -> News? {
    if case .own(let news) = self { news as? News } else { nil }
  }
}

/// What came of an effect of a tab.
protocol TabNews: Sendable {}
