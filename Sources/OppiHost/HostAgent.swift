// SPDX-License-Identifier: MIT

package import OppiText

/// What answers the prompts of all sessions of a host.
package protocol HostAgent: Sendable {
  /// Why the agent refuses a prompt; `nil` if it answers it.
  ///
  /// The refusal comes at once, or some time after the confirmation of the prompt.
  func refusal(of prompt: String) -> (error: String, delay: Duration?)?

  /// Answers a prompt with messages and tool calls, by the methods of the sessions that take a turn.
  ///
  /// Returns early if a steering message waits in the queue of the turn's agent.
  func answer(
    _ prompt: String,
    _ turn: AgentTurn,
    in sessions: isolated Sessions
  ) async throws(Interrupted)
}

/// The run of an agent that a message or a call belongs to.
package struct AgentTurn {
  package let session: LiveSession
  let agent: LoadedAgent
  package let run: Run

  /// Whether the agent is still loaded; otherwise the run sends and records nothing.
  var isAlive: Bool { session.agent === agent }
}

/// Thrown when the run is stopped or the server ends.
package struct Interrupted: Error {
  /// Whether the end of the run was announced already.
  var isAnnounced = false
}

/// A call of a tool by the model.
package struct AgentCall: Sendable {
  package typealias Work =
    @Sendable (IdentifiedCall, AgentTurn, isolated Sessions) async throws(Interrupted) -> ToolResult

  package let tool: String
  package let arguments: JSONValue
  /// The reason why the call needs approval; `nil` if it needs none.
  package var approvalReason: String?
  /// The dialog of an extension that must allow the call; `nil` if none asks.
  var gate: JSONValue?
  /// What the tool does.
  let work: Work

  /// The call in one line.
  package var summary: String {
    arguments["command"].string ?? "\(tool)(\(arguments.text().prefix(100)))"
  }

  /// The call behind the question of Pi's example of a gate before a dangerous command.
  var gated: AgentCall {
    var call = self
    call.gate = [
      "method": "select",
      "title": .string("⚠️ Dangerous command:\n\n  \(summary)\n\nAllow?"),
      "options": ["Yes", "No"],
      "extensionScopeId": "npm:permission-gate",
      "extensionDisplayName": "Permission Gate",
    ]
    return call
  }
}

package typealias IdentifiedCall = (id: String, call: AgentCall)

package struct ToolResult: Sendable {
  var output: String
  var isError = false
  var details: JSONValue?
}
