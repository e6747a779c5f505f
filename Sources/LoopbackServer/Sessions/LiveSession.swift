// SPDX-License-Identifier: MIT

/// A session of a running server.
@dynamicMemberLookup
final class LiveSession {
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
  /// Commands that need no approval any more.
  var approvedCommands: Set<String> = []

  init(_ record: SessionRecord, trace: Trace = Trace()) {
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

  /// Takes a prompt into the conversation; it was counted when it was sent.
  func hear(_ prompt: String) {
    record.history.lastActivity = .now
    trace.hear(prompt)
  }

  /// Ends a message of the model.
  func say(thinking: String, text: String, calls: [(id: String, call: ScriptedCall)] = []) {
    record.history.say(thinking: thinking, text: text)
    trace.say(thinking: thinking, text: text, calls: calls)
  }

  func take(_ result: ToolResult, of call: ScriptedCall, id: String) {
    record.history.take(result)
    trace.take(result, of: call, id: id)
  }
}
