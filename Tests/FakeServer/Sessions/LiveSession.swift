// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel

@dynamicMemberLookup
final class LiveSession {
  private let loop: EventLoop
  var record: SessionRecord
  /// The record as last written.
  var written: SessionRecord
  var isWriteDue = false
  var trace: Trace
  var agent: Agent?
  var start: Promise<Bool>?
  /// The summary that viewers of all sessions have.
  var announcedSummary: JSONValue?
  /// The number of loaded agents so far.
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

  /// Counts a sent prompt, even if it is rejected or lost.
  func count(_ prompt: String) {
    record.history.take(prompt: prompt, at: loop.timestamp)
  }

  /// Adds a delivered prompt to the conversation; it was counted when it was sent.
  func hear(_ prompt: String) {
    record.history.lastActivity = loop.timestamp
    trace.hear(prompt, on: loop)
  }

  func say(thinking: String, text: String, calls: [(id: String, call: ScriptedCall)] = []) {
    record.history.say(thinking: thinking, text: text, at: loop.timestamp)
    trace.say(thinking: thinking, text: text, calls: calls, on: loop)
  }

  func take(_ result: ToolResult, of call: ScriptedCall, id: String) {
    record.history.take(result, at: loop.timestamp)
    trace.take(result, of: call, id: id, on: loop)
  }
}
