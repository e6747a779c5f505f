// SPDX-License-Identifier: MIT

/// The pending dialogs of a session as listed over REST, in the order of their arrival.
///
/// Dialogs of kind `editor` are never listed.
package struct DialogList: Sendable, Equatable {
  package var dialogs: [UserQuestion]
  /// The server's time; `nil` if it does not report it.
  package var serverNow: Timestamp?

  package init(dialogs: [UserQuestion] = [], serverNow: Timestamp? = nil) {
    self.dialogs = dialogs
    self.serverNow = serverNow
  }

  /// Reads the server's answer without dialogs that cannot be named; `nil` if it has no list.
  package init?(json: JSONValue, sessionID: String) {
    guard let list = json["dialogs"].array else { return nil }
    dialogs = list.compactMap { UserQuestion(json: $0, sessionID: sessionID) }
    serverNow = json["serverNow"].int.map(Timestamp.init(milliseconds:))
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
