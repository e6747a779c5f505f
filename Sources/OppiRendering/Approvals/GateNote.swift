// SPDX-License-Identifier: MIT

package import OppiModel

package enum GateNote {
  /// Returns one note about all servers that hold no tool calls for approval; `nil` if there are
  /// none, as far as is known.
  package static func text(
    of servers: [(name: String, requests: Dialect.Requests?)]
  ) -> String? {
    let names = servers.filter { $0.requests?.hasGate == false }
      .map { $0.name.safeLine(limit: 80) }
    guard !names.isEmpty else { return nil }
    return "\(names.joined(separator: ", ")): tools run without approval unless an extension asks"
  }
}
