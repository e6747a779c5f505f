// SPDX-License-Identifier: MIT

import EventLoop

/// A session of a running server.
@dynamicMemberLookup
final class LiveSession {
  private let loop: EventLoop
  var record: SessionRecord
  /// The record as it was written last.
  var written: SessionRecord
  /// Whether the record will be written soon.
  var isWriteDue = false
  var trace: Trace
  /// The agent while it is loaded.
  var agent: Agent?
  /// The agent's start while it is under way.
  var start: Promise<Bool>?
  /// How often an agent was loaded.
  var starts = 0

  init(_ record: SessionRecord, trace: Trace = Trace(), on loop: EventLoop) {
    self.loop = loop
    self.record = record
    self.trace = trace
    written = record
  }

  subscript<Value>(dynamicMember member: KeyPath<SessionRecord, Value>) -> Value {
    record[keyPath: member]
  }

  subscript<Value>(dynamicMember member: WritableKeyPath<SessionRecord, Value>) -> Value {
    get { record[keyPath: member] }
    set { record[keyPath: member] = newValue }
  }

  // MARK: - The conversation

  /// Counts a prompt when it is sent, whatever becomes of it.
  func count(_ prompt: String) {
    record.history.take(prompt: prompt, at: loop.timestamp)
  }

  /// Takes a prompt into the conversation; it was counted when it was sent.
  func hear(_ prompt: String) {
    record.history.lastActivity = loop.timestamp
    trace.hear(prompt, on: loop)
  }

  /// Ends a message of the model.
  func say(thinking: String, text: String, calls: [(id: String, call: ScriptedCall)] = []) {
    record.history.say(thinking: thinking, text: text, at: loop.timestamp)
    trace.say(thinking: thinking, text: text, calls: calls, on: loop)
  }

  func take(_ result: ToolResult, of call: ScriptedCall, id: String) {
    record.history.take(result, at: loop.timestamp)
    trace.take(result, of: call, id: id, on: loop)
  }
}
