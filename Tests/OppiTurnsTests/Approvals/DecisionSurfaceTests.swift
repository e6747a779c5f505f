// SPDX-License-Identifier: MIT

import FakeServer
import OppiText
import OppiWire
import Simulation
import Testing

@testable import OppiTestSupport
@testable import OppiTurns

/// The rules for replies that hold on every surface.
@Suite struct DecisionSurfaceTests {
  /// Runs a test with a server of a kind of requests, which can be disturbed.
  static func withServer(
    of kind: DecidingPerson.Kind,
    _ body: @escaping @Sendable (World, VirtualServer, Trouble) async throws -> Void
  ) {
    inTroubledWorld(kind == .permission ? .gated : .deviceKeys, { _ in }, body)
  }

  // MARK: - The record

  @Test(
    "a reply on any surface is recorded once, with its command, its result and what was shown",
    arguments: DecidingSurface.allCases,
    [true, false]
  )
  func record(surface: DecidingSurface, agrees: Bool) {
    for kind in DecidingPerson.Kind.allCases {
      Self.withServer(of: kind) { world, server, _ in
        var person = try await DecidingPerson(in: world, kind)
        person.agrees = agrees
        let text = try await person.reply(on: surface)
        let records = world.replyRecords
        try #require(records.count == 1, "\(kind): \(records)\n\(text)")
        let record = records[0]
        #expect(record["surface"].string == surface.command(agrees: agrees), "\(record)")
        #expect(record["automatic"] != true && record["result"] == "confirmed", "\(record)")
        #expect(record["requestId"].string == person.id, "\(record)")
        #expect(record["sessionId"].string == person.session, "\(record)")
        #expect(record["server"] == "studio" && record["serverId"].string != nil, "\(record)")
        #expect(record["reply"].string == kind.reply(agrees: agrees, on: surface), "\(record)")
        #expect(record["effect"].string == kind.effect(agrees: agrees), "\(record)")
        #expect(record["shown"].string?.contains(kind.text) == true, "\(record)")
        #expect(record["sha256"].string?.count == 64, "\(record)")
        let log = await world.oppi("approvals", "log", "--json").json["log"].array ?? []
        #expect(log.count == 1 && log[0]["sent"]["command"] == record["surface"], "\(log)")
      }
    }
  }

  @Test(
    "a denial by a setting is recorded as the program's own",
    arguments: DecidingPerson.Kind.allCases
  )
  func automatic(kind: DecidingPerson.Kind) {
    Self.withServer(of: kind) { world, _, _ in
      _ = await world.oppi("config", "set", "notify.deny-after", "1m")
      let watching = try await Watching(in: world)
      let person = try await DecidingPerson(in: world, kind)
      try await world.pass(.seconds(70))
      _ = await watching.end()
      let records = world.replyRecords
      try #require(records.count == 1, "\(records)")
      #expect(records[0]["surface"] == "watch" && records[0]["automatic"] == true, "\(records)")
      #expect(records[0]["requestId"].string == person.id, "\(records)")
      #expect(records[0]["effect"] == "deny" && records[0]["result"] == "confirmed", "\(records)")
      #expect(records[0]["shown"].string?.contains(kind.text) == true, "\(records)")
    }
  }

  // MARK: - Content

  @Test(
    "no surface replies to a request that changed under its id since it was shown",
    arguments: DecidingSurface.showing,
    DecidingPerson.Kind.allCases
  )
  func changed(surface: DecidingSurface, kind: DecidingPerson.Kind) {
    Self.withServer(of: kind) { world, server, trouble in
      let person = try await DecidingPerson(in: world, kind)
      let text = try await person.reply(on: surface) {
        trouble.begin(person.replaced(by: kind.otherText))
      }
      #expect(server.decisions == 0, "\(text)")
      if DecidingSurface.chats.contains(surface) {
        #expect(text.contains(kind.otherText) && text.contains(kind.changeNotice), "\(text)")
      }
      let results = world.replyRecords.map(\.["result"].string)
      #expect(results.allSatisfy { $0 == "changed" }, "\(results)")
    }
  }

  // MARK: - Servers

  @Test(
    "of two servers with a request of the same id, a reply goes to the one that was shown",
    arguments: DecidingSurface.allCases
  )
  func twins(surface: DecidingSurface) {
    inWorld(.gated, where: \.countsIDs, is: true) { world, studio in
      let attic = try await world.addServer(named: "attic") {
        ($0.dialect, $0.countsIDs) = (.gated, true)
      }
      let places = ["studio/webapp", "attic/webapp"]
      for place in places { _ = await world.oppi("ask", "-q", "-w", place, "deploy") }
      try await world.pass()
      let rows = await world.oppi("approvals", "--json").json["approvals"].array ?? []
      try #require(rows.count == 2 && Set(rows.map(\.["id"].string)).count == 1, "\(rows)")
      let session = try #require(rows[0]["sessionId"].string)
      let id = try #require(rows[0]["id"].string)
      var person = DecidingPerson(in: world, .permission, session: session, id: id)
      for (server, others) in [("attic", 0), ("studio", 1)] {
        person.server = server
        let text = try await person.reply(on: surface)
        #expect(attic.decisions == 1 && studio.decisions == others, "\(text)")
      }
      #expect(world.replyRecords.map(\.["server"].string) == ["attic", "studio"])
    }
  }

  // MARK: - Denials

  @Test(
    "a call of high risk with hidden characters can be denied wherever it is listed",
    arguments: DecidingSurface.listing
  )
  func denies(surface: DecidingSurface) {
    inTroubledWorld(.gated) { world, server, trouble in
      let session = try await world.session(asking: "hello")
      let command = "rm -rf / \u{202E}x"
      trouble.pending(.call("risk00001111", in: session, command))
      var person = DecidingPerson(in: world, .permission, session: session, id: "risk00001111")
      (person.agrees, person.text) = (false, "rm -rf /")
      let text = try await person.reply(on: surface)
      #expect(server.decisions == 1, "\(text)")
      #expect(world.replyRecords.map(\.["reply"].string) == ["deny"], "\(text)")
    }
  }
}

extension DecidingSurface {
  /// Those that show what is now pending under the id.
  fileprivate static let chats: [Self] = [.chat, .accessibleChat, .accessibleConsoleChat]

  /// The command in the record.
  fileprivate func command(agrees: Bool) -> String {
    switch self {
    case .chat, .accessibleChat: "chat"
    case .console, .accessibleConsole, .accessibleConsoleChat: "console"
    case .batch: "approvals list"
    case .menu: "pick"
    case .notification: "watch"
    case .command: agrees ? "approve" : "deny"
    }
  }
}

extension DecidingPerson.Kind {
  /// What another request under the same id is about.
  fileprivate var otherText: String { self == .permission ? "rm -rf /" : "Delete all branches?" }

  fileprivate var changeNotice: String {
    self == .permission ? "the request is now for a different call" : QuestionText.changed
  }

  fileprivate func reply(agrees: Bool, on surface: DecidingSurface) -> String {
    switch (self, agrees) {
    case (.permission, true): "allow once"
    case (.permission, false): "deny"
    case (.dialog, true): "yes"
    case (.dialog, false): "cancel"
    }
  }

  fileprivate func effect(agrees: Bool) -> String { agrees ? "allow" : "deny" }
}
