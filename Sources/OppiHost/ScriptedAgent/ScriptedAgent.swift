// SPDX-License-Identifier: MIT

import OppiText

/// An agent that follows the script that a word of the prompt selects.
package struct ScriptedAgent: HostAgent {
  /// Whether it explains that it is scripted, and names what it can do, if a prompt selects no
  /// script; otherwise it runs one command.
  package var isGuide = false
  /// The pause before a retry; the pace of the host if `nil`.
  package var retryDelay: Duration?
  /// The delay between the acknowledgement and the late rejection of a prompt.
  private static let lateRefusalDelay = Duration.milliseconds(700)
  /// Whether an extension asks before calls that need approval.
  package var gatesCommands = false

  package init() {}

  /// The words that select scripts and their effects, for help.
  package static var vocabulary: [(word: String, effect: String)] {
    Script.table.flatMap { script in script.words.prefix(1).map { ($0, script.effect) } }
  }

  package func refusal(of prompt: String) -> (error: String, delay: Duration?)? {
    let script = Script.matching(prompt, isGuide: isGuide)
    guard case .refuse(let error, let isLate)? = script.steps.first else { return nil }
    return (error, isLate ? Self.lateRefusalDelay : nil)
  }

  package func answer(
    _ prompt: String,
    _ turn: AgentTurn,
    in sessions: isolated Sessions
  ) async throws(Interrupted) {
    var result: ToolResult?
    for step in Script.matching(prompt, isGuide: isGuide).steps {
      switch step {
      case .say(let thinking, let text, let calls):
        let calls = calls.map { gatesCommands && $0.approvalReason != nil ? $0.gated : $0 }
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
      case .recover(let attempt): sessions.emitEnd(ofRetries: attempt, turn.session)
      case .giveUp(let error, let attempt): turn.run.finalFailure = (error, attempt)
      case .refuse: break
      }
      if turn.agent.queue.hasSteering { return }
    }
  }
}

/// What a scripted agent does for a prompt.
struct Script: Sendable {
  enum Step: Sendable {
    /// Sends a message of the model and waits for the results of its calls.
    case say(thinking: String = "", text: String = "", calls: [AgentCall] = [])
    /// Sends a message about the result of the last call.
    case report(@Sendable (ToolResult) -> String)
    /// Fails instead of sending a message.
    case fail(String)
    /// Shows a dialog; its answer becomes the result.
    case show(JSONValue)
    case notify(JSONObject)
    /// Ends the run and, after a pause, starts retry number `attempt`.
    case retry(after: String, attempt: Int)
    /// Reports that the retry succeeded.
    case recover(attempt: Int)
    /// Reports, at the end of the run, that all retries failed.
    case giveUp(String, attempt: Int)
    /// Rejects the prompt, before or some time after its confirmation; must be the first step.
    case refuse(String, isLate: Bool = false)
  }

  /// The words that select the script: whole words of the prompt, in any case.
  let words: [String]
  /// The effect for help, in the third person.
  let effect: String
  let steps: [Step]

  init(_ words: String..., does effect: String, _ steps: [Step]) {
    self.words = words
    self.effect = effect
    self.steps = steps
  }

  /// Returns the first script that a prompt selects, or a default.
  static func matching(_ prompt: String, isGuide: Bool = false) -> Script {
    let words = prompt.lowercased().split { !$0.isLetter }.joined(separator: " ")
    let scripts = isGuide ? table + courtesies : table
    let match = scripts.first { script in
      script.words.contains { " \(words) ".contains(" \($0) ") }
    }
    return match ?? (isGuide ? guidance : standard)
  }
}

extension AgentCall {
  /// A command, and the reason why it needs approval.
  static func bash(_ command: String, _ work: @escaping Work, needs reason: String? = nil) -> Self {
    AgentCall(
      tool: "bash",
      arguments: ["command": .string(command)],
      approvalReason: reason,
      work: work
    )
  }

  static func bash(_ command: String, prints pieces: String..., needs reason: String? = nil)
    -> Self
  {
    bash(command, Script.printing(pieces), needs: reason)
  }

  /// Creates a call that sets a to-do list; the first `done` items are completed.
  static func todo(_ items: [String], done: Int) -> AgentCall {
    let todos = items.enumerated().map { index, item -> JSONValue in
      let status = index < done ? "completed" : index == done ? "in_progress" : "pending"
      return ["content": .string(item), "status": .string(status)]
    }
    return AgentCall(
      tool: "todo",
      arguments: ["todos": .array(todos)],
      work: Script.printing(["\(done) of \(items.count) done"])
    )
  }
}

// MARK: - What the tools do

extension Script {
  static func printing(_ pieces: [String]) -> AgentCall.Work {
    { call, turn, sessions throws(Interrupted) in
      for piece in pieces {
        try await sessions.pause(turn)
        sessions.emitOutput(piece, of: call, turn)
      }
      return ToolResult(output: pieces.joined())
    }
  }

  /// Prints more than is sent: each event replaces the previous one with the last lines.
  static func printingLines(_ count: Int) -> AgentCall.Work {
    { call, turn, sessions throws(Interrupted) in
      let lines = (1...count).map { "line \($0): \(String(repeating: "x", count: 60))\n" }
      var tail = ""
      for printed in [count / 20, count] {
        try await sessions.pause(turn)
        tail = lines[..<printed].suffix(80).joined()
        let total = lines[..<printed].reduce(0) { $0 + $1.utf8.count }
        sessions.emitOutput(
          tail,
          of: call,
          turn,
          ["mode": "replace", "truncated": true, "totalBytes": .number(total)]
        )
      }
      let truncation: JSONValue = ["truncated": true, "totalLines": .number(count)]
      return ToolResult(output: tail, details: ["truncation": truncation])
    }
  }

  /// Works until the run is stopped or a message is queued behind it, and prints a piece before and
  /// after that.
  static func working(_ first: String, _ second: String) -> AgentCall.Work {
    { call, turn, sessions throws(Interrupted) in
      if !first.isEmpty { sessions.emitOutput(first, of: call, turn) }
      try await sessions.waitForInterruption(turn)
      if !second.isEmpty { sessions.emitOutput(second, of: call, turn) }
      return ToolResult(output: first + second)
    }
  }

  /// Asks the questions in the arguments.
  static let askingQuestions: AgentCall.Work = { call, turn, sessions throws(Interrupted) in
    guard let answers = await sessions.ask(call.call.arguments, turn) else {
      return ToolResult(output: "The answer is not valid JSON", isError: true)
    }
    try sessions.checkStop(turn)
    let lines = answers.sorted { $0.key < $1.key }.map { id, answer in
      let values = answer.array ?? [answer]
      return "\(id): \(values.map { $0.string ?? $0.text() }.joined(separator: ", "))"
    }
    return ToolResult(
      output: answers.isEmpty ? "nothing" : lines.joined(separator: "\n"),
      details: ["questions": call.call.arguments["questions"], "answers": .object(answers)]
    )
  }

  /// Starts a child session with the message and name in the arguments.
  static let spawning: AgentCall.Work = { call, turn, sessions in
    let name = call.call.arguments["name"].string ?? ""
    let message = call.call.arguments["message"].string ?? ""
    sessions.emitOutput("Creating session \"\(name)\"...", of: call, turn)
    do throws(Refusal) {
      let child = try await sessions.spawn(message, name: name, from: turn.session)
      let output = "\"\(name)\" (\(child.id)) is running."
      sessions.emitOutput(output, of: call, turn)
      let details: JSONValue = [
        "agentId": .string(child.id),
        "name": .string(name),
        "status": .string(child.status.rawValue),
        "model": .string(child.model),
        "detached": false,
      ]
      if let agent = child.agent {
        sessions.hand(.init(message: message, on: sessions.loop), to: agent)
      }
      return ToolResult(output: output, details: details)
    } catch {
      return ToolResult(output: error.text, isError: true)
    }
  }
}
