// SPDX-License-Identifier: MIT

extension UserQuestion {
  /// Reads the pending dialogs of a session as listed over REST, in the order of their arrival and
  /// without those that cannot be named; `nil` if there is no list.
  ///
  /// Dialogs of kind `editor` are never listed.
  package static func listed(in json: JSONValue, of sessionID: String) -> [UserQuestion]? {
    json["dialogs"].array?.compactMap { UserQuestion(json: $0, sessionID: sessionID) }
  }
}

extension HumanRequest.Kind {
  /// Whether pending dialogs of this kind are listed over REST.
  package var isListed: Bool {
    switch self {
    case .ask, .select, .confirm, .input: true
    case .permission, .editor, .other: false
    }
  }
}

/// A server's response to the answer to a dialog that was sent over REST.
package enum DialogReply: Sendable, Equatable {
  /// The server reports no error; the dialog's absence from the list confirms the answer.
  case accepted
  /// The dialog is not pending, or no longer pending.
  case gone
  case refused(reason: String)

  /// Reads the messages of a response; `nil` if it has no list of messages.
  package init?(json: JSONValue, dialogID: String, requestID: String) {
    guard let list = json["messages"].array else { return nil }
    let replies = list.map { Self(message: $0, dialogID, requestID) }
    self =
      replies.contains(.gone) ? .gone : replies.first { $0 != .accepted } ?? .accepted
  }

  private init(message json: JSONValue, _ dialogID: String, _ requestID: String) {
    self = .accepted
    switch ServerMessage(json: json)?.kind {
    case .error(let text, _, _): self = .init(failure: text, dialogID)
    case .commandResult(let result) where result.requestID == requestID || result.requestID == nil:
      if let failure = result.failure { self = .init(failure: failure, dialogID) }
    default: break
    }
  }

  /// Reads the server's error text.
  package init(failure text: String, _ dialogID: String) {
    let isGone = text == Self.unknownDialog + dialogID || text.hasPrefix(Self.unloaded)
    self = isGone ? .gone : .refused(reason: text.safeLine())
  }

  /// The start of the error for a dialog that is not pending; its id follows.
  package static let unknownDialog = "UI request not found: "
  /// The start of the error for a session without an agent, whose dialogs are gone with it.
  private static let unloaded = "Session not active"
}
