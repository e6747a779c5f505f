// SPDX-License-Identifier: MIT

package import OppiModel

package enum GateNote {
  /// Returns the note about a server that holds no tool calls for approval; `nil` for a server with
  /// a gate, or if that is not known.
  package static func text(of server: String, _ requests: Dialect.Requests?) -> String? {
    guard let requests, !requests.hasGate else { return nil }
    return "\(server.safeLine(limit: 80)): tools run without approval unless an extension asks"
  }
}
