// SPDX-License-Identifier: MIT

import FakeServer
import HTTPCodec
import OppiText

/// A moment of a conversation at which a fault can occur.
package struct Moment: Hashable, Sendable {
  /// The kind of a moment, which determines the possible faults.
  enum Place: Sendable {
    /// Before the program's first step.
    case start
    case connection
    case request
    /// A request for a new session.
    case launch
    /// After an agent got the prompt of a launch, and before that is recorded.
    case handover
    /// A request for an access token.
    case access
    case upgrade
    case opened
    case message
    /// While an agent is running and only the server sends.
    case turn
  }

  let place: Place
  /// The event, without the ids that differ between worlds.
  let name: String
  /// The number of occurrences so far, including this occurrence.
  var count = 1

  /// The name, with the count from the second occurrence.
  package var label: String { count == 1 ? name : "\(name) (\(count))" }

  static let start = Moment(place: .start, name: "start")
  static let turn = Moment(place: .turn, name: "turn")
}

extension Moment {
  /// Creates the moment of a server's step.
  init(_ step: Step) {
    switch step {
    case .accepted: self.init(place: .connection, name: "connection")
    case .request(let request, _) where request.headers["Upgrade"] != nil:
      self.init(place: .upgrade, name: "upgrade \(Self.path(request.target))")
    case .request(let request, _):
      let path = Self.path(request.target)
      let place: Place =
        switch path {
        case "/auth/challenge", "/auth/refresh": .access
        case "/workspaces/…/sessions" where request.method == "POST": .launch
        default: .request
        }
      self.init(place: place, name: "\(request.method) \(path)")
    case .opened(let target, _):
      self.init(place: .opened, name: "opened \(Self.path(target))")
    case .message(let message, _):
      self.init(place: .message, name: "message \(message["type"].string ?? "?")")
    case .handedOver: self.init(place: .handover, name: "hand-over")
    }
  }

  /// A path without its query and ids.
  private static func path(_ target: String) -> String {
    var parts = target.prefix { $0 != "?" }.split(separator: "/").map(String.init)
    for index in parts.indices.dropFirst()
    where ["workspaces", "sessions", "permissions"].contains(parts[index - 1])
      && !["pending", "recent"].contains(parts[index])
    {
      parts[index] = "…"
    }
    return "/" + parts.joined(separator: "/")
  }
}
