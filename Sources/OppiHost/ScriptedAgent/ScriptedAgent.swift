// SPDX-License-Identifier: MIT

import OppiModel

/// An agent that follows the script that a word of the prompt selects.
package struct ScriptedAgent: HostAgent {
  /// The response to prompts that select no script.
  package enum Manner: Sendable {
    /// Runs one command, whatever the prompt.
    case standard
    /// Explains that the agent is scripted, and names what it can do.
    case guide
  }

  package var manner = Manner.standard
  /// The pause before a retry; the pace of the host if `nil`.
  package var retryDelay: Duration?
  /// The delay between the acknowledgement and the late rejection of a prompt.
  package var lateRefusalDelay = Duration.milliseconds(700)
  /// Whether an extension asks before calls that need approval.
  package var gatesCommands = false

  package init() {}

  /// The words that select scripts and their effects, for help.
  package static var vocabulary: [(word: String, effect: String)] {
    Script.table.flatMap { script in script.words.prefix(1).map { ($0, script.effect) } }
  }

  package func refusal(of prompt: String) -> PromptRefusal? {
    let script = Script.matching(prompt, manner: manner)
    guard case .refuse(let error, let isLate)? = script.steps.first else { return nil }
    return PromptRefusal(error, after: isLate ? lateRefusalDelay : nil)
  }

  package func answer(
    _ prompt: String,
    _ turn: AgentTurn,
    in sessions: isolated Sessions
  ) async throws(Interrupted) {
    var result: ToolResult?
    for step in Script.matching(prompt, manner: manner).steps {
      switch step {
      case .say(let thinking, let text, let calls):
        let calls = calls.map(toolCall)
        result = try await sessions.say(thinking: thinking, text: text, calls: calls, turn)
      case .report(let text):
        result = try await sessions.say(text: result.map(text) ?? "", turn)
      case .show(let dialog):
        result = ToolResult(output: await sessions.answer(to: dialog, turn))
        try sessions.checkStop(turn)
      case .notify(let notification): sessions.notify(notification, turn)
      case .fail(let error):
        try await sessions.fail(thinking: "Hmm.", error: error, turn)
      case .retry(let error, let attempt):
        let pause = retryDelay ?? sessions.configuration.pace
        try await sessions.retry(after: error, attempt: attempt, pause: pause, turn)
      case .recover(let attempt): sessions.recover(attempt: attempt, turn)
      case .giveUp(let error, let attempt):
        sessions.giveUp(after: error, attempt: attempt, turn)
      case .refuse: break
      }
      if turn.agent.queue.hasSteering { return }
    }
  }

  private func toolCall(_ call: ScriptedCall) -> AgentCall {
    let isGated = call.isGated || gatesCommands && call.approvalReason != nil
    return AgentCall(
      tool: call.tool,
      arguments: call.arguments,
      approvalReason: call.approvalReason,
      gate: isGated ? .gate(before: AgentCall.summary(of: call.tool, call.arguments)) : nil
    ) { identified, turn, sessions throws(Interrupted) in
      try await sessions.result(of: identified, call.effect, turn)
    }
  }
}

// MARK: - What the tools do

extension Sessions {
  fileprivate func result(
    of call: IdentifiedCall,
    _ effect: ScriptedCall.Effect,
    _ turn: AgentTurn
  ) async throws(Interrupted) -> ToolResult {
    switch effect {
    case .prints(let pieces): try await print(pieces, of: call, turn)
    case .printsLines(let count): try await printLines(count, of: call, turn)
    case .works: try await work(on: call, prints: ["step 1/2\n", "step 2/2\n"], turn)
    case .waits: try await work(on: call, prints: ["", ""], turn)
    case .asks: try await ask(call, turn)
    case .spawns: await spawn(call, turn)
    }
  }

  private func print(
    _ pieces: [String],
    of call: IdentifiedCall,
    _ turn: AgentTurn
  ) async throws(Interrupted) -> ToolResult {
    for piece in pieces {
      try await pause(turn)
      emitOutput(piece, of: call, turn)
    }
    return ToolResult(output: pieces.joined())
  }

  /// Prints more than is sent: each event replaces the previous one with the last lines.
  private func printLines(
    _ count: Int,
    of call: IdentifiedCall,
    _ turn: AgentTurn
  ) async throws(Interrupted) -> ToolResult {
    let lines = (1...count).map { "line \($0): \(String(repeating: "x", count: 60))\n" }
    var tail = ""
    for printed in [count / 20, count] {
      try await pause(turn)
      tail = lines[..<printed].suffix(80).joined()
      let total = lines[..<printed].reduce(0) { $0 + $1.utf8.count }
      emitOutput(
        tail,
        of: call,
        turn,
        ["mode": "replace", "truncated": true, "totalBytes": .number(total)]
      )
    }
    let truncation: JSONValue = [
      "truncated": true, "truncatedBy": "lines", "totalLines": .number(count),
    ]
    return ToolResult(output: tail, details: ["truncation": truncation])
  }

  private func work(
    on call: IdentifiedCall,
    prints pieces: [String],
    _ turn: AgentTurn
  ) async throws(Interrupted) -> ToolResult {
    for (index, piece) in pieces.enumerated() {
      if index > 0 { try await waitForInterruption(turn) }
      if !piece.isEmpty { emitOutput(piece, of: call, turn) }
    }
    return ToolResult(output: pieces.joined())
  }

  private func ask(_ call: IdentifiedCall, _ turn: AgentTurn) async throws(Interrupted)
    -> ToolResult
  {
    guard let answers = await ask(call.call.arguments, turn) else {
      return ToolResult(output: "The answer is not valid JSON", isError: true)
    }
    try checkStop(turn)
    let lines = answers.sorted { $0.key < $1.key }.map { id, answer in
      let values = answer.array ?? [answer]
      return "\(id): \(values.map { $0.string ?? $0.text() }.joined(separator: ", "))"
    }
    return ToolResult(
      output: answers.isEmpty ? "nothing" : lines.joined(separator: "\n"),
      details: [
        "questions": call.call.arguments["questions"],
        "answers": .object(answers),
        "allIgnored": .bool(answers.isEmpty),
      ]
    )
  }

  /// Starts a child session.
  private func spawn(_ call: IdentifiedCall, _ turn: AgentTurn) async -> ToolResult {
    let name = call.call.arguments["name"].string ?? ""
    let message = call.call.arguments["message"].string ?? ""
    emitOutput("Creating session \"\(name)\"...", of: call, turn)
    do {
      let child = try await spawn(message, name: name, from: turn.session)
      let output = "\"\(name)\" (\(child.id)) is running."
      emitOutput(output, of: call, turn)
      let details: JSONValue = [
        "agentId": .string(child.id),
        "name": .string(name),
        "status": .string(child.status.rawValue),
        "model": .string(child.model),
        "detached": false,
      ]
      if let agent = child.agent { hand(.init(message: message, on: loop), to: agent, in: child) }
      return ToolResult(output: output, details: details)
    } catch {
      return ToolResult(output: error.text, isError: true)
    }
  }
}

/// What a scripted agent does for a prompt.
struct Script: Sendable {
  enum Step: Sendable {
    /// Sends a message of the model and waits for the results of its calls.
    case say(thinking: String = "", text: String = "", calls: [ScriptedCall] = [])
    /// Sends a message about the result of the last call.
    case report(@Sendable (ToolResult) -> String)
    /// Fails instead of sending a message.
    case fail(error: String)
    /// Shows a dialog; its answer becomes the result.
    case show(Dialog)
    case notify(JSONObject)
    /// Ends the run and, after a pause, starts retry number `attempt`.
    case retry(error: String, attempt: Int)
    /// Reports that the retry succeeded.
    case recover(attempt: Int)
    /// Reports, at the end of the run, that all retries failed.
    case giveUp(error: String, attempt: Int)
    /// Rejects the prompt, before or some time after its confirmation; must be the first step.
    case refuse(error: String, isLate: Bool = false)
  }

  /// The words that select the script: whole words of the prompt, in any case.
  let words: [String]
  /// The effect for help, in the third person.
  let effect: String
  let steps: [Step]

  init(_ words: [String], _ effect: String, _ steps: [Step]) {
    self.words = words
    self.effect = effect
    self.steps = steps
  }

  /// Returns the first script that a prompt selects, or the default of the manner.
  static func matching(_ prompt: String, manner: ScriptedAgent.Manner) -> Script {
    let words = prompt.lowercased().split { !$0.isLetter }.joined(separator: " ")
    let scripts = manner == .guide ? table + courtesies : table
    let match = scripts.first { script in
      script.words.contains { " \(words) ".contains(" \($0) ") }
    }
    return match ?? (manner == .guide ? guidance : standard)
  }
}

struct ScriptedCall: Sendable {
  enum Effect: Sendable {
    case prints([String])
    /// Prints this many lines; only the last ones are sent.
    case printsLines(Int)
    /// Works until the run is stopped or a message is queued behind it.
    case works
    /// Like `works`, without output.
    case waits
    /// Asks the questions in its arguments.
    case asks
    /// Starts a child session with the message and name in its arguments.
    case spawns
  }

  let tool: String
  let arguments: JSONValue
  let effect: Effect
  /// The reason why the call needs approval; `nil` if it needs none.
  var approvalReason: String?
  /// Whether an extension asks before the call.
  var isGated = false

  static func bash(
    _ command: String,
    _ effect: Effect,
    approvalReason: String? = nil,
    isGated: Bool = false
  ) -> ScriptedCall {
    ScriptedCall(
      tool: "bash",
      arguments: ["command": .string(command)],
      effect: effect,
      approvalReason: approvalReason,
      isGated: isGated
    )
  }

  /// Creates a call that sets a to-do list; the first `done` items are completed.
  static func todo(_ items: [String], done: Int) -> ScriptedCall {
    let todos = items.enumerated().map { index, item -> JSONValue in
      let status = index < done ? "completed" : index == done ? "in_progress" : "pending"
      return ["content": .string(item), "status": .string(status)]
    }
    return ScriptedCall(
      tool: "todo",
      arguments: ["todos": .array(todos)],
      effect: .prints(["\(done) of \(items.count) done"])
    )
  }
}

extension Dialog {
  static let confirmation = Dialog(
    ["method": "confirm", "title": "Proceed?", "message": "This changes files"]
  )
  static let selection = Dialog(
    ["method": "select", "title": "Pick one", "options": ["Red", "Green"]]
  )
  static let input = Dialog(
    ["method": "input", "title": "Your name", "placeholder": "name"]
  )
  static let editor = Dialog(
    ["method": "editor", "title": "Commit message", "prefill": "Fix the bug\n"]
  )
}
