// SPDX-License-Identifier: MIT

import OppiModel

extension Sessions {
  /// Makes parallel calls; returns the result of the last one.
  func make(_ calls: [IdentifiedCall], _ turn: Turn) async throws(Interrupted) -> ToolResult? {
    if !dialect.updatesCalls {
      for call in calls {
        emitStart(of: call, call.call.arguments, turn)
        emitState(turn.session)
      }
    }
    let gates = calls.map { raiseGate(before: $0.call, turn) }
    var results: [ToolResult] = []
    do {
      for (call, gate) in zip(calls, gates) {
        results.append(try await result(of: call, behind: gate, turn))
      }
    } catch {
      guard turn.isAlive else { throw error }
      let aborted = ToolResult(output: "\n\nCommand aborted", isError: true)
      for call in calls {
        emitOutput(aborted.output, of: call, turn)
        end(call, with: aborted, turn)
      }
      throw error
    }
    for (call, result) in zip(calls, results) { end(call, with: result, turn) }
    return results.last
  }

  private func end(_ call: IdentifiedCall, with result: ToolResult, _ turn: Turn) {
    turn.session.take(result, of: call.call, id: call.id)
    emit(
      "tool_end",
      [
        "tool": .string(call.call.tool),
        "toolCallId": .string(call.id),
        "details": result.details ?? (result.isError ? [:] : nil),
        "isError": result.isError ? true : nil,
        "resultSegments": result.isError ? [["text": "exit ?", "style": "error"]] : nil,
      ],
      from: turn.session
    )
    emitProgress(turn.session)
  }

  private func emitOutput(
    _ output: String,
    of call: IdentifiedCall,
    _ turn: Turn,
    _ members: JSONObject = [:]
  ) {
    let common: JSONObject = ["output": .string(output), "toolCallId": .string(call.id)]
    emit("tool_output", common.adding(members), from: turn.session)
  }

  private func result(
    of call: IdentifiedCall,
    behind gate: PendingQuestion?,
    _ turn: Turn
  ) async throws(Interrupted) -> ToolResult {
    if let gate, await !passes(gate) {
      try checkStop(turn)
      emitOutput(ScriptedCall.blocked, of: call, turn)
      return ToolResult(output: ScriptedCall.blocked, isError: true)
    }
    if dialect.asksForApproval, permissions.asks(for: call.call, in: turn.session) {
      if case .denied(let reason) = await decision(on: call.call, in: turn.session) {
        guard turn.isAlive else { throw Interrupted() }
        emitOutput(reason, of: call, turn)
        return ToolResult(output: reason, isError: true)
      }
    } else {
      let place = (turn.session.id, turn.session.workspace.id)
      audit.record(call.call, of: place, isAllowed: true, by: "policy", on: loop)
    }
    switch call.call.effect {
    case .prints(let pieces): return try await print(pieces, of: call, turn)
    case .printsLines(let count): return try await printLines(count, of: call, turn)
    case .works: return try await work(on: call, prints: ["step 1/2\n", "step 2/2\n"], turn)
    case .waits: return try await work(on: call, prints: ["", ""], turn)
    case .asks: return try await ask(call, turn)
    case .spawns: return try await spawn(call, turn)
    }
  }

  private func print(
    _ pieces: [String],
    of call: IdentifiedCall,
    _ turn: Turn
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
    _ turn: Turn
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
    _ turn: Turn
  ) async throws(Interrupted) -> ToolResult {
    for (index, piece) in pieces.enumerated() {
      if index > 0 { try await waitForInterruption(turn) }
      if !piece.isEmpty { emitOutput(piece, of: call, turn) }
    }
    return ToolResult(output: pieces.joined())
  }

  /// Waits until a message is queued behind the run, the tool is released, or the run is stopped.
  private func waitForInterruption(_ turn: Turn) async throws(Interrupted) {
    if turn.run.queuedIDs.isEmpty, !turn.run.isAborted {
      turn.run.interruption = Promise()
      _ = await turn.run.interruption.value()
    }
    try checkStop(turn)
  }

  func releaseTool(in id: String) {
    all[id]?.agent?.run?.interruption.keep(true)
  }

  private func ask(
    _ call: IdentifiedCall,
    _ turn: Turn
  ) async throws(Interrupted) -> ToolResult {
    guard let answers = await answers(to: call.call, turn) else {
      return ToolResult(output: "The answer is not valid JSON", isError: true)
    }
    try checkStop(turn)
    let lines = answers.sorted { $0.key < $1.key }.map { id, answer in
      let values = answer.array ?? [answer]
      return "\(id): \(values.map { $0.string ?? $0.text() }.joined(separator: ", "))"
    }
    let output = answers.isEmpty ? "nothing" : lines.joined(separator: "\n")
    return ToolResult(
      output: output,
      details: [
        "questions": call.call.arguments["questions"],
        "answers": .object(answers),
        "allIgnored": .bool(answers.isEmpty),
      ]
    )
  }

  /// Reports a child's state to the subscribers of its parent; later servers do not.
  private func emitState(ofChild child: LiveSession, to parent: LiveSession) {
    if !dialect.summarizesChanges { emit("state", ["session": json(child)], from: parent) }
  }

  /// Starts a child session.
  private func spawn(
    _ call: IdentifiedCall,
    _ turn: Turn
  ) async throws(Interrupted) -> ToolResult {
    let parent = turn.session
    let name = call.call.arguments["name"].string ?? ""
    let message = call.call.arguments["message"].string ?? ""
    emitOutput("Creating session \"\(name)\"...", of: call, turn)
    let child = makeSession(in: parent.workspace, name: name, parentID: parent.id)
    announceCreation(of: child)
    do {
      try await start(child)
    } catch {
      return ToolResult(output: error.text, isError: true)
    }
    emitState(ofChild: child, to: parent)
    child.count(message)
    emitState(ofChild: child, to: parent)
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
  }
}
