// SPDX-License-Identifier: MIT

import OppiModel
import OppiRendering
import Testing

@Suite struct ActivityJSONTests {
  private static func lines(_ recording: Recording) -> [JSONValue] {
    recording.sessionIDs.flatMap { id in
      Replay(recording, sessionID: id).steps.flatMap {
        ActivityJSON.lines(for: $0.change, sessionID: id, at: $0.time)
      }
    }
  }

  @Test(
    "a turn as JSON Lines is as on record",
    arguments: ["02-default-turn", "04-permission-deny", "10-ask-answered", "26-spawn-child"]
  )
  func snapshots(name: String) throws {
    let text = Self.lines(try Recording(name)).map { $0.text() + "\n" }.joined()
    try Snapshot.check(text, "json-\(name).jsonl")
  }

  @Test("every line has its type, time and session, and only fields that are documented")
  func documented() throws {
    var seen: [String: Set<String>] = [:]
    for line in Recording.all.flatMap(Self.lines) {
      let members = try #require(line.object)
      let type = try #require(line["type"].string)
      #expect(line["sessionId"].string != nil)
      let time = try #require(line["at"].string)
      #expect(Timestamp(iso8601: time) != nil)
      seen[type, default: []].formUnion(members.keys)
    }
    for (type, fields) in ActivityJSON.fields {
      let names = seen.removeValue(forKey: type) ?? []
      #expect(names.subtracting(["type", "at", "sessionId"]) == Set(fields), "\(type)")
    }
    #expect(seen.isEmpty)
  }

  @Test("each type is documented once")
  func types() {
    let types = ActivityJSON.fields.map(\.type)
    #expect(Set(types).count == types.count)
  }
}
