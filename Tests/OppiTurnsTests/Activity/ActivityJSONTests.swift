// SPDX-License-Identifier: MIT

import OppiModel
import OppiText
import OppiWire
import TestSupport
import Testing

@testable import OppiTurns

@Suite struct ActivityJSONTests {
  private static func lines(_ recording: Recording) -> [JSONValue] {
    recording.sessionIDs.flatMap { id in
      Replay(recording, sessionID: id).steps.flatMap {
        ActivityJSON.lines(for: $0.change, sessionID: id, at: $0.time)
      }
    }
  }

  @Test(
    "a turn as JSON Lines matches its snapshot",
    arguments: [
      "02-default-turn", "04-permission-deny", "10-ask-answered", "105-queue-two-clients",
      "12-extension-dialogs", "26-spawn-child",
    ]
  )
  func snapshots(name: String) throws {
    let text = Self.lines(try Recording(name)).map { $0.text() + "\n" }.joined()
    try Snapshot.check(text, "json-\(name).jsonl")
  }

  @Test("each line has a type, a time and a session, and exactly the documented fields")
  func documented() throws {
    var seen: [String: Set<String>] = [:]
    for line in Recording.all.flatMap(Self.lines) + Self.linesOfOwnTurn() {
      let members = try #require(line.object)
      let type = try #require(line["type"].string)
      #expect(line["sessionId"].string != nil)
      let time = try #require(line["at"].string)
      #expect(Timestamp(iso8601: time) != nil)
      seen[type, default: []].formUnion(members.map(\.key))
    }
    // No recording contains a server that is killed while messages are queued.
    seen["queue-lost"] = seen["queue-dropped"]
    // No recording is of a server that reports settled dialogs.
    seen["question-settled"] = ["id"]
    for (type, fields) in ActivityJSON.fields {
      let names = seen.removeValue(forKey: type) ?? []
      #expect(names.subtracting(["type", "at", "sessionId"]) == Set(fields), "\(type)")
    }
    #expect(seen.isEmpty)
  }

  /// Recordings do not contain turns of this program.
  private static func linesOfOwnTurn() -> [JSONValue] {
    var talk = Conversation()
    let changes = talk.handOver("go") + talk.tell(.agentStart, .says("Yes."), .agentEnd)
    return (changes + talk.settle()).flatMap {
      ActivityJSON.lines(for: $0, sessionID: "s1", at: talk.now)
    }
  }

  @Test("a past change is marked, except for the end of a turn")
  func past() {
    let lines = [ActivityChange.textFinished("x"), .ended(.empty, own: true)].flatMap {
      ActivityJSON.lines(for: $0, sessionID: "s", at: Timestamp(seconds: 0), isPast: true)
    }
    #expect(lines.map { $0["past"] } == [true, .null])
    #expect(lines.last?["own"] == true)
  }

  @Test(
    "each outcome has a word and a reason",
    arguments: [
      (.succeeded(answer: "x"), "finished", nil), (.empty, "empty", nil),
      (.failed("why"), "failed", "why"), (.stopped(reason: "late"), "stopped", "late"),
      (.dropped, "stopped", "a stop cleared the queue before the turn started"),
      (.unknown(reason: "lost"), "unknown", "lost"),
    ] as [(TurnOutcome, String, String?)]
  )
  func outcomes(outcome: TurnOutcome, word: String, error: String?) {
    let start = Timestamp(seconds: 0)
    let lines = ActivityJSON.lines(for: .ended(outcome), sessionID: "s", at: start)
    #expect(lines.map(\.["outcome"].string) == [word] && lines.map(\.["error"].string) == [error])
  }
}
