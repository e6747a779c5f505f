// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import OppiModel
@testable import OppiText
@testable import OppiWire

@Suite struct FleetStatusJSONTests {
  @Test("a snapshot survives a round trip", arguments: 0..<200)
  func roundTrip(seed: UInt64) throws {
    var random = FleetMaker(seed: seed)
    let fleet = random.fleet()
    let bytes = Array(fleet.json.text().utf8)
    #expect(FleetStatus(json: try JSONValue(parsing: bytes)) == fleet)
  }

  @Test("the documented members are the written members")
  func members() {
    var paths: Set<String> = []
    for seed in 0..<50 {
      var random = FleetMaker(seed: UInt64(seed))
      Self.collect(random.fleet().json, below: "", into: &paths)
    }
    #expect(paths == Set(FleetStatus.members.map(\.path)))
  }

  private static func collect(
    _ value: JSONValue,
    below prefix: String,
    into paths: inout Set<String>
  ) {
    for (name, member) in value.object ?? [:] {
      let path = prefix + name
      paths.insert(path)
      collect(member, below: "\(path).", into: &paths)
      for element in member.array ?? [] { collect(element, below: "\(path)[].", into: &paths) }
    }
  }

  @Test(
    "a snapshot of another version or form is rejected",
    arguments: [
      "{}", "[]", "null", #"{"version": 2, "at": 1, "servers": []}"#,
      #"{"version": "1", "at": 1, "servers": []}"#, #"{"version": 1, "servers": []}"#,
      #"{"version": 1, "at": "2026-11-21T00:24:45Z", "servers": []}"#,
      #"{"version": 1, "at": 1}"#, #"{"version": 1, "at": 1, "servers": {}}"#,
    ]
  )
  func refused(text: String) throws {
    #expect(FleetStatus(json: try JSONValue(parsing: Array(text.utf8))) == nil)
  }

  @Test("unknown members are ignored, and invalid elements are omitted")
  func lenient() throws {
    var random = FleetMaker(seed: 7)
    let fleet = FleetStatus(at: .noon, servers: [random.server()])
    let odd: JSONValue = [
      "id": 3, "name": [], "state": "asleep", "sessions": [[], ["id": "../x", "state": "idle"]],
    ]
    var json = try #require(fleet.json.object)
    json["new"] = odd
    json["servers"] = .array((json["servers"]?.array ?? []) + [odd, 3, .null])
    #expect(FleetStatus(json: .object(json)) == fleet)
  }

  @Test(
    "values are not trusted: texts are truncated and made safe, and numbers are bounded"
  )
  func hostile() throws {
    let evil = String(repeating: "\u{1B}[2J\u{202E}x\n", count: 1000)
    func tainted(_ value: JSONValue, _ path: String = "") -> JSONValue {
      switch value {
      case .string where ["id", "state"].contains(path): value
      case .string(let text): .string(evil + text)
      case .integer where path == "version": value
      case .integer: .integer(.min)
      case .double: .double(-.infinity)
      case .array(let elements): .array(elements.map { tainted($0, path) })
      case .object(let members):
        .object(JSONObject(members.map { ($0.key, tainted($0.value, $0.key)) }))
      default: value
      }
    }
    for seed in 0..<20 {
      var random = FleetMaker(seed: UInt64(seed))
      var json = try #require(tainted(random.fleet().json).object)
      json["at"] = 0
      let fleet = try #require(FleetStatus(json: .object(json)))
      let state = ContentState(fleet, at: .noon)
      #expect(state.elapsedSeconds ?? 0 >= 0 && state.todo?.total ?? 0 >= 0)
      for server in fleet.servers {
        #expect(server.name.count <= 120 && server.name == server.name.safeLine(limit: 120))
        for session in server.sessions {
          #expect(session.cost ?? 0 >= 0)
          let texts =
            session.approvals.map(\.summary)
            + [session.goal, session.turn?.operation]
            .compactMap(\.self)
          #expect(texts.allSatisfy { $0.count <= 400 && $0 == $0.safeLine(limit: 400) })
        }
      }
    }
  }
}

@Suite struct EndedTurnTests {
  private static func session(_ count: Int, at seconds: Int, id: String = "s") -> Session {
    .sample(id, lastActivity: Timestamp(seconds: seconds), messageCount: count)
  }

  @Test("a turn is the last until another message, and current until any activity")
  func validity() {
    let turn = EndedTurn(of: Self.session(4, at: 100), TurnSummary(end: .failed))
    for (count, seconds, isLast, isCurrent) in [
      (4, 100, true, true), (4, 101, true, false), (4, 99, false, false), (5, 100, false, false),
      (5, 101, false, false), (3, 101, false, false),
    ] {
      let session = Self.session(count, at: seconds)
      #expect(turn.isLast(in: session) == isLast, "\(count) \(seconds)")
      #expect(turn.isCurrent(in: session) == isCurrent, "\(count) \(seconds)")
    }
  }

  @Test("ended turns survive a round trip")
  func roundTrip() throws {
    var turns = EndedTurns()
    let summary = TurnSummary(startedAt: .ago(9), endedAt: .ago(1), failure: "no", end: .failed)
    for (number, id, summary) in [(1, "a", summary), (2, "b", TurnSummary(end: .unknown))] {
      let turn = EndedTurn(of: Self.session(4, at: 100, id: id), summary)
      turns[Fingerprint.sample(number)] = [id: turn]
    }
    let text = turns.json.text()
    #expect(EndedTurns(json: try JSONValue(parsing: Array(text.utf8))) == turns)
  }

  @Test(
    "invalid data is omitted",
    arguments: [
      "{}", #"{"version": 2, "servers": []}"#, #"{"version": 1, "servers": [{"id": "x"}, 3]}"#,
    ]
  )
  func refused(text: String) throws {
    #expect(EndedTurns(json: try JSONValue(parsing: Array(text.utf8))) == EndedTurns())
  }

  @Test("the 1000 latest turns per server are kept")
  func limit() {
    var turns = EndedTurns()
    let id = Fingerprint.sample(1)
    let all = (1...1001).map { number in
      ("s\(number)", EndedTurn(of: Self.session(1, at: number), TurnSummary(end: .finished)))
    }
    turns[id] = Dictionary(uniqueKeysWithValues: all)
    #expect(turns[id].count == 1000)
    #expect(turns[id]["s1"] == nil && turns[id]["s2"] != nil && turns[id]["s1001"] != nil)
  }
}

@Suite struct SessionOrderTests {
  @Test("sessions are sorted by urgency, then by their latest activity, then by id")
  func order() {
    func session(_ id: String, _ phase: SessionPhase, at seconds: Int) -> SessionStatus {
      SessionStatus(id: id, phase: phase, lastActivity: Timestamp(seconds: seconds))
    }
    let sorted = [
      session("a", .waiting, at: 1), session("c", .running, at: 2), session("b", .failed, at: 4),
      session("e", .idle, at: 9), session("d", .idle, at: 9), session("f", .idle, at: 3),
      session("g", .done, at: 10),
    ]
    #expect(sorted.shuffled().sorted() == sorted)
  }
}
