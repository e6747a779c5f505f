// SPDX-License-Identifier: MIT

import OppiModel
import TestSupport
import Testing

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
