// SPDX-License-Identifier: MIT

import FakeServer
import Simulation
import Synchronization
import TestSupport
import Testing

@testable import OppiClient
@testable import OppiModel
@testable import OppiTestSupport
@testable import OppiText
@testable import OppiTurns
@testable import OppiWire

/// Requests with the same id on two servers, in two sessions, or twice on one server.
@Suite struct SameRequestTests {
  /// Runs a body with two servers, whose lists of requests the body sets.
  private static func inTwo(
    _ body:
      @escaping @Sendable (
        World, (server: VirtualServer, list: Trouble), (server: VirtualServer, list: Trouble)
      ) async throws -> Void
  ) {
    let (one, other) = (Trouble(), Trouble())
    inWorld(.gated, where: \.interceptor, is: one.interceptor) { world, studio in
      let attic = try await world.addServer(named: "attic") {
        ($0.dialect, $0.interceptor) = (.gated, other.interceptor)
      }
      try await body(world, (studio, one), (attic, other))
    }
  }

  @Test("SERVER/ID selects one of the requests with an id, by the server's name or identity")
  func qualified() {
    Self.inTwo { world, studio, attic in
      studio.list.pending(.call("same00001111", in: "S", "rm -rf /"))
      attic.list.pending(.call("same00001111", in: "T", "ls"))
      for (verb, name) in [("approve", "same00001111"), ("approve", "same"), ("deny", "same")] {
        let both = await world.oppi("--json", verb, name, exits: 64, saying: "SERVER/ID")
        #expect(both.error["code"] == "ambiguous-name", "\(both)")
        #expect(both.errors.contains("studio/same00001111"), "\(both)")
      }
      #expect(studio.server.decisions == 0 && attic.server.decisions == 0)
      let shown = await world.oppi("approvals", "show", "attic/same00001111", exits: 0)
      #expect(shown.output.contains("ls"), "\(shown)")
      await world.oppi("approve", "attic/same")
      #expect(studio.server.decisions == 0 && attic.server.decisions == 1)
      let studioID = try #require(
        world.services.serverStore.load().servers.first { $0.name == "studio" }
      )
      await world.oppi("deny", "\(studioID.id.text)/same00001111")
      #expect(studio.server.decisions == 1 && attic.server.decisions == 1)
      // Both servers are asked.
      await world.oppi("deny", "attic/same00001111", "studio/same00001111")
      #expect(studio.server.decisions == 2 && attic.server.decisions == 2)
      _ = MenuUser(in: world, ("! ", "attic"), []) {}
      let picked = await world.pick("approvals", "--print")
      #expect(picked.lines == ["attic/same00001111"], "\(picked)")
      await world.oppi("approve", "nowhere/same00001111", exits: 66)
      await world.oppi("approve", "attic/", exits: 64)
      await world.oppi("approve", "/same00001111", exits: 64)
    }
  }

  @Test("requests with equal ids have the same order, whichever server answers first")
  func order() {
    let rows = ["attic", "studio", "studio"].enumerated().map { number, server in
      ListedRequest(
        .call("same00001111", "ls", in: "S\(number)"),
        of: Fingerprint.sample(number),
        at: RequestOrigin(server: server, sessionID: "S\(number)"),
        listedAt: .noon
      )
    }
    for other in [rows, rows.reversed(), [rows[1], rows[2], rows[0]]] {
      #expect(other.sorted { $0.isBefore($1) } == rows)
    }
  }

  @Test("completion inserts SERVER/ID for equal ids, and the order of equal ids never changes")
  func completion() {
    Self.inTwo { world, studio, attic in
      var sessions: [String] = []
      for place in ["studio/demo", "studio/demo", "attic/demo"] {
        let asked = await world.oppi("ask", "-q", "-w", place, "hello", exits: 0)
        sessions.append(try #require(asked.lines.first))
      }
      try await world.pass()
      studio.list.pending(
        .call("same00001111", in: sessions[0], "ls"),
        .call("only00001111", in: sessions[1], "ls")
      )
      attic.list.pending(.call("same00001111", in: sessions[2], "ls"))
      await world.oppi("sessions", exits: 0)
      var orders: Set<[String]> = []
      for server in ["studio", "attic", "studio", ""] {
        await world.oppi(["sessions"] + (server.isEmpty ? [] : ["--server", server]))
        let words = await world.oppi("__complete", "--", "approve", "")
        let names = words.lines.compactMap { $0.split(separator: "\t").first.map(String.init) }
          .filter { $0.hasSuffix("00001111") }
        #expect(names == ["only00001111", "attic/same00001111", "studio/same00001111"], "\(words)")
        let rows = await world.oppi("approvals", "--json").json["approvals"].array ?? []
        orders.insert(rows.compactMap(\.["server"]["name"].string))
      }
      #expect(orders.count == 1, "\(orders)")
    }
  }

  @Test("an id that a server lists twice is ambiguous")
  func twice() {
    Self.inTwo { world, studio, _ in
      studio.list.pending(
        .call("same00001111", in: "S", "ls"),
        .call("same00001111", in: "T", "rm -rf /")
      )
      let outcome = await world.oppi("approve", "same00001111")
      #expect(outcome.status == 64 && studio.server.decisions == 0, "\(outcome)")
    }
  }

  @Test("--watch reports the same call in another session and on another server")
  func watch() {
    Self.inTwo { world, studio, attic in
      studio.list.pending(.call("same00001111", in: "S", "ls"))
      attic.list.pending()
      let watching = world.run("approvals", "--watch", "--json")
      try await world.pass()
      studio.list.pending(.call("same00001111", in: "T", "ls"))
      try await world.pass()
      attic.list.pending(.call("same00001111", in: "T", "ls"))
      try await world.pass()
      let told = await watching.end().jsonLines.map { line in
        [line["type"].string, line["sessionId"].string, line["server"]["name"].string]
      }
      #expect(
        told == [
          ["requested", "S", "studio"], ["requested", "T", "studio"], ["gone", "S", "studio"],
          ["requested", "T", "attic"],
        ]
      )
    }
  }

  @Test("a button decides nothing if the id is now listed twice, or in another session")
  func button() {
    inTroubledWorld(.gated) { world, server, trouble in
      let first = try await world.session(asking: "hello")
      let second = try await world.session(asking: "hello")
      let shown = JSONValue.call("same00001111", in: first, "ls")
      trouble.pending(shown)
      let watching = try await Watching(in: world)
      let notification = try #require(watching.desktop.shown.first)
      for list in [
        [shown, shown], [shown, .call("same00001111", in: first, "rm -rf /")],
        [.call("same00001111", in: second, "ls")],
      ] {
        trouble.at("/pending", .pending(list))
        #expect(watching.desktop.press("Approve", on: notification))
        try await world.pass()
        #expect(server.decisions == 0, "\(list)")
      }
      #expect(watching.count(of: "Approved") == 0)
      _ = await watching.end()
    }
  }

  @Test("a request that changes while others are approved is not approved, and can be denied")
  func changesMeanwhile() {
    for verb in ["approve", "deny"] {
      inTroubledWorld(.gated) { world, server, trouble in
        let first = JSONValue.call("frst00001111", in: "S", "ls")
        let list = [first, .call("scnd00001111", in: "T", "ls")]
        let other = [JSONValue.call("scnd00001111", in: "T", "rm -rf /")]
        let isDecided = Mutex(false)
        trouble.begin { step in
          if step.isRequest("/frst00001111/respond") {
            isDecided.withLock { $0 = true }
            return .answer(json: ["ok": true])
          }
          guard step.isRequest("/pending") else { return .proceed }
          return .pending(isDecided.withLock(\.self) ? other : list)
        }
        let outcome = await world.oppi("--json", verb, "frst00001111", "scnd00001111")
        let states = outcome.json["decisions"].array?.map(\.["state"].string) ?? []
        #expect(states == (verb == "deny" ? ["denied", "too-late"] : ["approved", "too-late"]))
        #expect(server.decisions == (verb == "deny" ? 2 : 1), "\(outcome)")
      }
    }
  }
}

/// Dialogs that change on the server under their ids.
@Suite struct ChangedDialogTests {
  /// Lists another dialog under the id of the pending one, alone or after that one.
  private static func replacement(
    of id: String,
    isAfterIt: Bool
  ) -> @Sendable (Step) -> Intervention {
    let pending: JSONValue = [
      "id": .string(id), "method": "confirm", "title": "Proceed?",
      "message": "This changes files",
    ]
    let other: JSONValue = [
      "id": .string(id), "method": "confirm", "title": "Delete all branches?",
    ]
    let list = Intervention.dialogs(isAfterIt ? [pending, other] : [other])
    return { $0.isRequest("/dialogs") ? list : .proceed }
  }

  @Test("a chat does not answer a dialog whose id is listed twice")
  func chat() {
    inTroubledWorld { world, server, trouble in
      let talk = try await ChatTerminal(in: world)
      try await talk.say("ask confirm", see: "1  yes")
      let id = try #require(await world.requestIDs().first)
      trouble.begin(Self.replacement(of: id, isAfterIt: true))
      try await talk.rest()
      talk.type("y")
      try await world.pass(.seconds(1))
      try await talk.type(ChatTerminal.enter, see: QuestionText.changed)
      #expect(server.commands.isEmpty)
      trouble.end()
      talk.type(ChatTerminal.interrupt)
      talk.type(ChatTerminal.interrupt)
    }
  }

  @Test(
    "answer sends nothing if the dialog changes, is listed twice or goes while it is looked up",
    arguments: ["changed", "twice", "gone"]
  )
  func command(what: String) {
    inTroubledWorld { world, server, trouble in
      let id = try await world.request(asking: "ask confirm")
      let replace = Self.replacement(of: id, isAfterIt: false)
      let shown = await world.oppi("approvals", "--json").json["approvals"].array?.first ?? .null
      let dialog: JSONValue = [
        "id": .string(id), "method": "confirm", "title": shown["title"],
        "message": shown["message"],
      ]
      let lists = Mutex(0)
      trouble.begin { step in
        guard step.isRequest("/dialogs") else { return .proceed }
        let number = lists.withLock { count in
          count += 1
          return count
        }
        if number == 1 { return .proceed }
        return what == "changed" ? replace(step) : .dialogs(what == "gone" ? [] : [dialog, dialog])
      }
      let outcome = await world.oppi("answer", "--", id, "yes")
      #expect(lists.withLock(\.self) >= 2)
      #expect(outcome.status == 5 && server.commands.isEmpty, "\(outcome)")
    }
  }

  @Test(
    "a dialog without choices, which no server lists, is cancelled by its id",
    arguments: ["select", "ask"]
  )
  func withoutChoices(method: String) {
    inTroubledWorld { world, server, trouble in
      let body: JSONValue = ["sessionId": .string(try await world.session(asking: "hello"))]
      let question = UserQuestion(id: "none", method: method, body: body)
      trouble.first([.answer(json: ["messages": []])], at: "/command")
      let outcome = await world.services.reply(
        .answer(.cancelled),
        to: .question(question),
        of: try world.paired.id
      )
      #expect(try outcome.get() == .decided)
      #expect(server.commands.first?["id"] == "none", "\(server.commands)")
      #expect(server.commands.first?["cancelled"] == true)
    }
  }
}
