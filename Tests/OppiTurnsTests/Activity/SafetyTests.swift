// SPDX-License-Identifier: MIT

import OppiModel
import OppiTerminal
import OppiText
import OppiWire
import TestSupport
import Testing

@testable import OppiTurns

/// Server text never reaches the terminal unsanitized.
@Suite struct SafetyTests {
  @Test("recordings full of control sequences are rendered as text", arguments: Recording.all)
  func recordings(recording: Recording) throws {
    for id in recording.sessionIDs {
      var plain = PlainActivity()
      var reducer = ActivityReducer(sessionID: id)
      for (line, frame) in zip(try recording.lines(), recording.frames) {
        let tainted = Hostile.tainted(line, with: Hostile.text)
        let message = try #require(ServerMessage(json: tainted))
        let changes =
          reducer.apply(message, at: frame.time)
          + (reducer.isSettling ? reducer.settle() : [])
        check(reducer.activity, now: frame.time)
        for change in changes { check(change, &plain, now: frame.time) }
      }
      expectText(plain.flush())
    }
  }

  @Test("renderers accept any value", arguments: Hostile.texts)
  func renderers(text: String) {
    for tool in ToolRenderer.all.flatMap({ Array($0.tools) }) + ["unknown \(text)"] {
      for call in calls(of: tool, text) {
        for width in [0, 1, 40] {
          expectText(CallFacts(call).rows(width: width).map(\.plain), width: width)
        }
        expectText([CallFacts(call).title])
        expectText([PlainActivity.line(for: .toolFinished(call)) ?? ""])
      }
    }
  }

  /// Calls in which each member that a renderer reads is hostile or of a wrong type.
  private func calls(of tool: String, _ text: String) -> [ToolCallActivity] {
    let names = [
      "command", "path", "query", "url", "name", "message", "action", "content", "oldText",
      "newText", "title", "text", "question", "label", "agentId", "diff",
    ]
    let strings = JSONObject(names.map { ($0, .string(text)) })
    let list: JSONValue = [.object(strings), .string(text), 3, .null, [.string(text)]]
    let lists: JSONObject = [
      "questions": list, "todos": list, "results": list, "options": list, "edits": list,
      "answers": [text: list], "offset": .integer(.max), "limit": .integer(.max), "status": -5,
      "resultCount": .integer(.min),
    ]
    let all = JSONValue.object(strings.adding(lists))
    let states: [ToolCallState] = [.running, .succeeded, .failed]
    return [all, list].flatMap { value in
      states.map { state in
        var call = ToolCallActivity(id: text, tool: tool, arguments: value, state: state)
        call.details = value
        return call
      }
    }
  }

  private func check(_ activity: Turn, now: Timestamp) {
    let card = ActivityCard.lines(for: activity, width: 30, now: now)
    expectText(card.map(\.plain), width: 30)
  }

  private func check(_ change: ActivityChange, _ plain: inout PlainActivity, now: Timestamp) {
    expectText(plain.lines(for: change))
    expectText(plain.lines(for: change, isPast: true))
    expectText(ActivityJSON.lines(for: change, sessionID: "s", at: now).map { $0.text() })
  }

  private func expectText(_ lines: [String], width: Int = .max) {
    let bad = lines.filter { line in
      DisplayWidth.of(line) > width || !line.unicodeScalars.allSatisfy(\.isTypeable)
    }
    #expect(bad.isEmpty)
  }
}
