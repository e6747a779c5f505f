// SPDX-License-Identifier: MIT

package import OppiModel

/// What answers the prompts of all sessions of a host.
package protocol HostAgent: Sendable {
  /// Why the agent refuses a prompt; `nil` if it answers it.
  func refusal(of prompt: String) -> PromptRefusal?

  /// Answers a prompt with messages and tool calls, by the methods of the sessions that take a turn.
  ///
  /// Returns early if a steering message waits in the queue of the turn's agent.
  func answer(
    _ prompt: String,
    _ turn: AgentTurn,
    in sessions: isolated Sessions
  ) async throws(Interrupted)
}

/// The refusal of a prompt by an agent.
package struct PromptRefusal: Sendable {
  package let error: String
  /// How long after the confirmation of the prompt the refusal comes; `nil` if it comes at once.
  package let delay: Duration?

  package init(_ error: String, after delay: Duration? = nil) {
    self.error = error
    self.delay = delay
  }
}

/// The run of an agent that a message or a call belongs to.
package struct AgentTurn {
  package let session: LiveSession
  package let agent: LoadedAgent
  package let run: Run

  /// Whether the agent is still loaded; otherwise the run sends and records nothing.
  package var isAlive: Bool { session.agent === agent }
}

/// Thrown when the run is stopped or the server ends.
package struct Interrupted: Error {
  enum Place {
    case message
    case pause
    case superseded
  }

  let place: Place

  package init() { place = .message }

  init(place: Place) { self.place = place }
}

// MARK: - Tools

/// A call of a tool by the model.
package struct AgentCall: Sendable {
  package typealias Work =
    @Sendable (IdentifiedCall, AgentTurn, isolated Sessions) async throws(Interrupted) -> ToolResult

  package let tool: String
  package let arguments: JSONValue
  /// The reason why the call needs approval; `nil` if it needs none.
  package let approvalReason: String?
  /// The dialog of an extension that must allow the call; `nil` if none asks.
  package let gate: Dialog?
  /// What the tool does.
  let work: Work

  package init(
    tool: String,
    arguments: JSONValue,
    approvalReason: String? = nil,
    gate: Dialog? = nil,
    work: @escaping Work
  ) {
    self.tool = tool
    self.arguments = arguments
    self.approvalReason = approvalReason
    self.gate = gate
    self.work = work
  }

  /// The call in one line.
  package var summary: String { Self.summary(of: tool, arguments) }

  package static func summary(of tool: String, _ arguments: JSONValue) -> String {
    arguments["command"].string ?? "\(tool)(\(arguments.text().prefix(100)))"
  }

  /// The call as styled text, with the arguments known so far.
  func segments(_ arguments: JSONValue) -> JSONValue? {
    switch tool {
    case "bash":
      [
        ["text": "$ ", "style": "bold"],
        ["text": arguments["command"].string.map(JSONValue.string) ?? "", "style": "accent"],
      ]
    case "ask":
      arguments["questions"].array.map { questions in
        .array(questions.map { ["text": $0["question"], "style": "muted"] })
      }
    default: nil
    }
  }
}

package typealias IdentifiedCall = (id: String, call: AgentCall)

package struct ToolResult: Sendable {
  package var output: String
  package var isError: Bool
  package var details: JSONValue?

  package init(output: String, isError: Bool = false, details: JSONValue? = nil) {
    self.output = output
    self.isError = isError
    self.details = details
  }

  /// The result of a call that was not allowed by an extension.
  static let blocked = ToolResult(output: "Blocked by user", isError: true)
}

// MARK: - Dialogs

/// A question of an extension, outside the conversation.
package struct Dialog: Sendable {
  package let request: JSONValue

  package init(_ request: JSONValue) { self.request = request }

  /// The question of Pi's example of a gate before a dangerous command.
  package static func gate(before command: String) -> Dialog {
    Dialog([
      "method": "select",
      "title": .string("⚠️ Dangerous command:\n\n  \(command)\n\nAllow?"),
      "options": ["Yes", "No"],
      "extensionScopeId": "npm:permission-gate",
      "extensionDisplayName": "Permission Gate",
    ])
  }
}
