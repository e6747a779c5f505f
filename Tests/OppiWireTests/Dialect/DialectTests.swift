// SPDX-License-Identifier: MIT

import Testing

@testable import OppiText
@testable import OppiWire

@Suite("Dialect detection")
struct DialectDetectionTests {
  private static func info(_ capabilities: JSONValue?) -> ServerInfo {
    ServerInfo(json: .object(["name": "vm", "capabilities": capabilities]))
  }

  private static let offered: JSONValue = ["version": 1]

  private static let session: JSONValue = ["sessionStream": offered]
  private static let events: JSONValue = ["sessionStream": offered, "appEventStream": offered]
  private static let current: JSONValue = [
    "sessionStream": offered, "appEventStream": ["version": 3], "controlSessions": offered,
    "extensionNativeUI": ["version": 1, "capabilities": ["x"]],
  ]

  @Test("a server without capabilities is told apart by its stream")
  func none() {
    #expect(Self.info(nil).capabilities == nil)
    #expect(Dialect.detected(by: Self.info(nil), credential: .bearer) == nil)
    #expect(Dialect.detected(by: Self.info([:]), credential: .bearer) == nil)
    #expect(Dialect.detected(by: Self.info("all"), credential: .bearer) == nil)
  }

  @Test("all capabilities are the dialect of session sockets or of device keys")
  func full() {
    let info = Self.info(Self.current)
    #expect(Dialect.detected(by: info, credential: .bearer) == .sessionSockets)
    #expect(Dialect.detected(by: info, credential: .deviceKey) == .deviceKeys)
  }

  @Test("session sockets alone are a server with its own gate")
  func gate() {
    let dialect = Dialect.detected(by: Self.info(Self.session), credential: .bearer)
    #expect(
      dialect
        == Dialect(
          credential: .bearer,
          stream: .session,
          requests: .permissions,
          listing: .sessions,
          creation: .plain,
          updates: .polling
        )
    )
  }

  @Test("a server with app events has no gate")
  func appEvents() {
    let dialect = Dialect.detected(by: Self.info(Self.events), credential: .bearer)
    #expect(dialect?.requests == .dialogs)
    #expect(dialect?.updates == .appEvents)
    #expect(dialect?.listing == .sessions)
    #expect(dialect?.creation == .plain)
  }

  @Test(
    "a capability below version 1 is not offered",
    arguments: [["version": 0], ["version": -1], [:], true, "1", ["version": "1"], .null]
      as [JSONValue]
  )
  func notOffered(value: JSONValue) {
    let info = Self.info(["sessionStream": value])
    #expect(info.capabilities == [])
    #expect(Dialect.detected(by: info, credential: .bearer) == nil)
  }

  @Test("a server with a device key speaks today's dialect whatever it announces")
  func deviceKey() {
    for capabilities in [nil, [:], Self.current] as [JSONValue?] {
      #expect(
        Dialect.detected(by: Self.info(capabilities), credential: .deviceKey) == .deviceKeys
      )
    }
    let quiet = Dialect.detected(by: Self.info(Self.session), credential: .deviceKey)
    #expect(quiet?.requests == .dialogs)
    #expect(quiet?.updates == .polling)
  }

  @Test("a known dialect stays when a server announces nothing, unless it was downgraded")
  func updated() {
    let silent = Self.info(nil)
    for known in [Dialect.perSession, .multiplexed] {
      #expect(Dialect.updated(known, by: silent, credential: .bearer) == known)
    }
    #expect(Dialect.updated(nil, by: silent, credential: .bearer) == nil)
    #expect(Dialect.updated(.sessionSockets, by: silent, credential: .bearer) == nil)
    let upgraded = Dialect.updated(.multiplexed, by: Self.info(Self.current), credential: .bearer)
    #expect(upgraded == .sessionSockets)
  }
}

@Suite("Dialect, stored")
struct StoredDialectTests {
  @Test("a dialect is read as it was written, and by the name that earlier versions stored")
  func roundTrip() {
    for (name, dialect) in Dialect.named {
      #expect(Dialect(json: dialect.json) == dialect && dialect.name == name)
      #expect(Dialect(json: .string(name)) == dialect)
    }
    var other = Dialect.sessionSockets
    other.requests = .permissions
    #expect(Dialect(json: other.json) == other && other.name == "session")
    #expect(Dialect(json: "someday") == nil)
  }

  @Test(
    "a dialect with a concern that is missing or unknown is none",
    arguments: ["credential", "stream", "requests", "listing", "creation", "updates"]
  )
  func unknown(concern: String) throws {
    for value in [nil, "someday", 7] as [JSONValue?] {
      var json = try #require(Dialect.deviceKeys.json.object)
      json[concern] = value
      #expect(Dialect(json: .object(json)) == nil, "\(json)")
    }
  }

  @Test("only of a server with session sockets and a gate, it is unsure whether it has the gate")
  func unsureGate() {
    for (_, dialect) in Dialect.named { #expect(!dialect.hasUnsureGate) }
    var dialect = Dialect.sessionSockets
    dialect.requests = .permissions
    #expect(dialect.hasUnsureGate)
  }
}

@Suite("Dialect.Listing")
struct DialectListingTests {
  @Test("today's servers list what a flow needs, older ones all sessions or those of a workspace")
  func paths() {
    for (listing, all, recent, loaded, entry) in [
      (
        .recent, "/sessions/recent", "/sessions/recent?recentDays=7",
        "/sessions/recent?recentDays=1", "/sessions/s1"
      ),
      (.sessions, "/sessions", "/sessions", "/sessions", nil),
      (.workspaces, nil, nil, nil, nil),
    ] as [(Dialect.Listing, String?, String?, String?, String?)] {
      #expect(listing.path(of: .all) == all && listing.path(of: .recent) == recent)
      #expect(listing.path(of: .loaded) == loaded && listing.path(ofEntry: "s1") == entry)
      #expect(listing.countsDialogs == (listing == .recent))
    }
    #expect(!Dialect.Listing.recent.mayListLostAgents)
    #expect(Dialect.Listing.workspaces.mayListLostAgents)
  }

  @Test("a list that a server does not know is replaced by the earlier one")
  func earlier() {
    #expect(Dialect.Listing.recent.earlier == .sessions)
    #expect(Dialect.Listing.sessions.earlier == .workspaces)
    #expect(Dialect.Listing.workspaces.earlier == nil)
  }

  @Test("only today's servers read a session without its workspace")
  func records() {
    #expect(Dialect.Listing.recent.path(ofSession: "s", workspaceID: nil) == "/sessions/s")
    #expect(Dialect.Listing.recent.tracePath == "/trace?include=all")
    for listing in [Dialect.Listing.sessions, .workspaces] {
      #expect(listing.path(ofSession: "s", workspaceID: nil) == nil)
      #expect(listing.path(ofSession: "s", workspaceID: "w") == "/workspaces/w/sessions/s")
      #expect(listing.tracePath == "")
    }
  }

  @Test("the whole output of a call has a path of its own on older servers")
  func output() {
    let today = Dialect.Listing.recent.path(ofOutput: "c", session: "s", workspaceID: "w")
    #expect(today == "/workspaces/w/sessions/s/tool-output/c?full=true")
    let older = Dialect.Listing.sessions.path(ofOutput: "c", session: "s", workspaceID: "w")
    #expect(older == "/workspaces/w/sessions/s/tool-output/c/full")
    #expect(Dialect.Listing.recent.path(ofOutput: "c", session: "s", workspaceID: nil) == nil)
  }
}
