// SPDX-License-Identifier: MIT

package import OppiText

/// A command of an agent, which a message calls by a slash and its name.
package struct AgentCommand: Sendable, Equatable {
  /// More are not read.
  static let countLimit = 500

  /// Without the slash and without white space, safe to show.
  package let name: String
  /// On one line, safe to show.
  package let summary: String

  package init?(json: JSONValue) {
    guard let name = json["name"].text(.name), !name.isEmpty, name == name.safeLine(limit: 100),
      !name.contains(where: \.isWhitespace)
    else { return nil }
    self.name = name
    summary = json["description"].line(200) ?? ""
  }
}

extension CommandResult {
  /// The agent's commands in the answer to a request for them.
  package var agentCommands: [AgentCommand] {
    data["commands"].array?.prefix(AgentCommand.countLimit).compactMap { AgentCommand(json: $0) }
      ?? []
  }
}
