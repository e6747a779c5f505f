// SPDX-License-Identifier: MIT

import FakeServer
import OppiText
import OppiWire
import Simulation
import Testing

@testable import OppiTestSupport

/// `oppi approvals`, `oppi approve` and `oppi deny` on servers without a gate.
@Suite struct DialogsTests {
  static func answer(_ world: World, _ session: String) async throws -> String {
    try await world.pass()
    return await world.oppi("show", "--", session).output
  }

  @Test("dialogs are listed with their kind, their options and their extension")
  func list() {
    inWorld { world, server in
      let gate = try await world.session(asking: "gate")
      let input = try await world.session(asking: "ask input")
      let outcome = await world.oppi("approvals", "--json", exits: 0)
      let rows = outcome.json["approvals"].array ?? []
      #expect(rows.map(\.["sessionId"].string) == [gate, input], "\(outcome)")
      let first = try #require(rows.first)
      #expect(first["kind"] == "select" && first["options"] == ["Yes", "No"], "\(first)")
      #expect(first["title"] == "⚠️ Dangerous command:\n\n  rm -rf ./build\n\nAllow?")
      #expect(first["extension"] == "Permission Gate" && first["isWhole"] == true)
      #expect(first["tool"] == .null && first["input"] == .null)
      #expect(first["needs"] == "approval" && first["risk"] == "destructive", "\(first)")
      #expect(first["workspace"]["name"] == "demo" && first["goal"] == "gate", "\(first)")
      #expect(rows.last?["kind"] == "input" && rows.last?["options"] == .null)
      #expect(rows.last?["needs"] == "answer" && rows.last?["risk"] == .null, "\(rows)")
      #expect(outcome.json["servers"].array?.first?["toolsRunUnasked"] == true, "\(outcome)")
      #expect(!server.requests.contains { $0.path.hasPrefix("/permissions") })
    }
  }

  @Test("the missing gate is noted once for each server, and a server with a gate has no note")
  func note() {
    inWorld { world, server in
      _ = try await world.addServer(named: "attic") { $0.dialect = .gated }
      let outcome = await world.oppi("approvals")
      let note = "note: studio: tools run without approval unless an extension asks"
      #expect(outcome.errorLines == ["no pending approvals", note], "\(outcome)")
      #expect(await world.oppi("approvals", "-q").errors.isEmpty)
      let json = await world.oppi("approvals", "--json")
      let servers = json.json["servers"].array ?? []
      #expect(servers.map(\.["name"]) == ["attic", "studio"], "\(json)")
      #expect(servers.map(\.["toolsRunUnasked"]) == [.null, true], "\(json)")
      #expect(json.errors.isEmpty)
    }
  }

  @Test("only sessions with pending dialogs are asked for them")
  func economy() {
    inWorld { world, server in
      _ = try await world.session(asking: "hello")
      let gate = try await world.session(asking: "gate")
      _ = await world.oppi("approvals")
      let paths = server.requests.map(\.path).filter { $0.hasSuffix("/dialogs") }
      #expect(paths == ["/sessions/\(gate)/dialogs"])
    }
  }

  @Test("a select that asks for approval is approved and denied by its own choices")
  func decidesSelect() {
    inWorld { world, server in
      for (word, state, value) in [("approve", "approved", "Yes"), ("deny", "denied", "No")] {
        let id = try await world.request(asking: "gate")
        let scoped = await world.oppi(word, "--json", "--", id, exits: 0)
        #expect(scoped.json["decisions"].array?.first?["state"].string == state, "\(scoped)")
        #expect(server.commands.last?["value"].string == value)
        await world.oppi(word, "--", id, exits: 5)
      }
      #expect(server.commands.count == 2)
      #expect(world.replyRecords.map(\.["effect"].string) == ["allow", "deny"])
    }
  }

  @Test("an approval of any other select is refused with its options, and nothing is sent")
  func refusesSelect() {
    inWorld { world, server in
      let id = try await world.request(asking: "ask select")
      let outcome = await world.oppi("approve", "--", id, exits: 65)
      #expect(outcome.errors.contains("oppi answer \(id) VALUE…"), "\(outcome)")
      #expect(outcome.errors.contains("choices: 1 Red, 2 Green"), "\(outcome)")
      let scoped = await world.oppi("approve", "--scope", "session", "--", id)
      #expect(scoped.status == 65 && scoped.errors.contains("--scope session"), "\(scoped)")
      #expect(server.commands.isEmpty)
    }
  }

  @Test("a gate that changed since it was shown is not approved, and can be denied")
  func changedGate() {
    inTroubledWorld { world, server, trouble in
      _ = try await world.session(asking: "gate")
      func list(_ command: String) {
        let gate: JSONValue = [
          "id": "gate-00001", "method": "select", "title": .string("Run \(command)?"),
          "options": ["Yes", "No"],
        ]
        trouble.dialogs(gate)
      }
      list("ls")
      await world.oppi("approvals", "show", "gate-00001", exits: 0)
      list("rm -rf ~")
      let changed = await world.oppi("approve", "gate-00001", exits: 5)
      #expect(changed.errors.contains("has changed since it was shown"), "\(changed)")
      #expect(server.commands.isEmpty)
      // A refusal needs no reading.
      _ = await world.oppi("deny", "gate-00001")
      _ = await world.oppi("answer", "gate-00001", "--no")
      _ = await world.oppi("answer", "gate-00001", "No")
      #expect(server.commands.map(\.["value"]) == ["No", "No", "No"])
    }
  }

  @Test(
    "a denial cancels a dialog without a refusal of its own",
    arguments: ["ask input", "question"]
  )
  func denies(prompt: String) {
    inWorld { world, server in
      let (session, id) = try await world.waiting(asking: prompt)
      let outcome = await world.oppi("deny", "--", id, exits: 0)
      #expect(outcome.output.hasPrefix("denied\t\(id)\t"), "\(outcome)")
      #expect(server.commands.map(\.["cancelled"]) == [true])
      let answer = try await Self.answer(world, session)
      #expect(answer.hasPrefix("You answered: nothing"))
    }
  }

  @Test("an expired dialog is no longer pending, and its expiry is on the local clock")
  func expired() {
    inWorld {
      $0.dialogTimeout = .seconds(60)
    } _: { world, server in
      let session = try await world.session(asking: "ask confirm")
      let listed = await world.oppi("approvals", "--json")
      let row = listed.json["approvals"].array?.first ?? .null
      #expect(row["secondsLeft"].int.map { (50...56).contains($0) } == true, "\(listed)")
      let id = try #require(row["id"].string)
      #expect(await world.requestIDs("--expiring").isEmpty)
      try await world.pass(.seconds(45))
      #expect(await world.requestIDs("--expiring") == [id])
      try await world.pass(.seconds(15))
      await world.oppi("approve", "--", id, exits: 5)
      #expect(try await Self.answer(world, session) == "You answered: no\n")
    }
  }

  @Test("a server of unknown dialect without a gate has no approvals, and is no failure")
  func unknownDialect() {
    inTroubledWorld(.multiplexed) { world, server, trouble in
      trouble.at("/permissions/pending", .answer(status: 404, error: "Not found"))
      let outcome = await world.oppi("approvals", exits: 0)
      #expect(outcome.errors.contains("no pending approvals"), "\(outcome)")
      trouble.begin { $0.isRequest ? .answer(status: 404, error: "Not found") : .proceed }
      #expect(await world.oppi("approvals").status != 0, "another server")
    }
  }
}
