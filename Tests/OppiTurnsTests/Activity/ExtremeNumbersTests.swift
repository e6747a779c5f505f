// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import OppiModel
@testable import OppiText
@testable import OppiTurns
@testable import OppiWire

/// Messages with the largest and smallest numbers of JSON.
@Suite struct ExtremeNumbersTests {
  private static let numbers: [JSONValue] = [
    .integer(.min), .integer(.max), .integer(1 << 53), .integer(-1 << 53), .integer(-1),
    .integer((1 << 53) - 1), .integer(1 - (1 << 53)), .double(.greatestFiniteMagnitude),
    .double(-.greatestFiniteMagnitude), .double(9_223_372_036_854_775_808), .double(0.5),
  ]

  @Test(
    "extreme numbers in any message do not stop the reducer or a renderer",
    arguments: Recording.all
  )
  func everyNumber(recording: Recording) throws {
    let now = Timestamp(seconds: 1_795_220_685)
    for number in Self.numbers.prefix(3) {
      for id in recording.sessionIDs {
        var reducer = ActivityReducer(sessionID: id)
        for line in try recording.lines() {
          guard let message = ServerMessage(json: Self.replacing(in: line, by: number)) else {
            continue
          }
          Self.show(reducer.apply(message, at: now), reducer.activity, at: now)
        }
      }
    }
  }

  @Test("output after a replacement with an extreme size is appended", arguments: numbers)
  func outputAfterReplacement(number: JSONValue) throws {
    let now = Timestamp(seconds: 1_795_220_685)
    var reducer = ActivityReducer(sessionID: "s")
    func message(_ members: JSONObject) throws -> ServerMessage {
      try #require(ServerMessage(json: .object(members)))
    }
    for message in [
      try message(["type": "agent_start"]),
      try message(["type": "tool_start", "toolCallId": "1", "tool": "bash", "args": [:]]),
      try message([
        "type": "tool_output", "toolCallId": "1", "output": "a", "mode": "replace",
        "totalBytes": number,
      ]),
      try message(["type": "tool_output", "toolCallId": "1", "output": "b"]),
      try message([
        "type": "permission_request", "id": "p", "tool": "bash", "input": ["command": "ls"],
        "timeoutAt": number,
      ]),
      try message([
        "type": "tool_end", "toolCallId": "1", "tool": "bash",
        "details": ["truncation": ["totalBytes": number, "totalLines": number]],
      ]),
      try message(["type": "tool_output", "toolCallId": "1", "output": "c"]),
    ] {
      Self.show(reducer.apply(message, at: now), reducer.activity, at: now)
    }
    #expect(reducer.activity.toolCalls.first?.output.text.hasSuffix("b") == true)
  }

  private static func show(
    _ changes: [ActivityChange],
    _ activity: Turn,
    at now: Timestamp
  ) {
    _ = ActivityCard.lines(for: activity, width: 80, now: now, frame: 1)
    for change in changes {
      _ = PlainActivity.line(for: change)
      _ = ActivityJSON.lines(for: change, sessionID: "s", at: now)
    }
  }

  private static func replacing(in json: JSONValue, by number: JSONValue) -> JSONValue {
    switch json {
    case .integer, .double: number
    case .array(let elements): .array(elements.map { replacing(in: $0, by: number) })
    case .object(let members):
      .object(JSONObject(members.map { ($0.key, replacing(in: $0.value, by: number)) }))
    case .null, .bool, .string: json
    }
  }
}
