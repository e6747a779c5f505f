// SPDX-License-Identifier: MIT

import OppiText
import OppiWire

/// Trust in the folder of a workspace, before a session starts there.
extension Sessions {
  /// The time after which a folder without a decision is trusted.
  private static let trustTimeout = Duration.seconds(15)
  private static let trustChoices: [JSONValue] = [
    "Trust (remember)", "Trust this session", "Don't trust (remember)",
  ]

  static func trustDialog(of folder: String) -> JSONValue {
    [
      "method": "select", "options": .array(trustChoices),
      "title": .string("Trust project folder?\n\(folder)"),
    ]
  }

  /// Asks for trust in the folder of a session that starts, unless that is decided; a cancelled
  /// question and one without an answer are allowed, and nothing is remembered.
  func askForTrust(of session: LiveSession) async {
    let workspace = session.workspace.id
    guard !decidedFolders.contains(workspace) else { return }
    // It has the question until the agent is loaded.
    let agent = LoadedAgent(of: session, epoch: nil, limits: configuration.limits)
    session.starter = agent
    let dialog = Self.trustDialog(of: "/srv/\(session.workspace.name)")
    let question = raise(dialog, in: agent, timeout: Self.trustTimeout)
    let answer = await question.response["value"]
    session.starter = nil
    if answer == Self.trustChoices.first || answer == Self.trustChoices.last {
      decidedFolders.insert(workspace)
    }
  }
}
