// SPDX-License-Identifier: MIT

import FakeServer
import OppiModel
import OppiTerminal
import Simulation
import Synchronization
import Testing

@testable import Oppi

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
    let list: JSONValue = [
      "dialogs": .array(isAfterIt ? [pending, other] : [other]), "serverNow": 1,
    ]
    return { $0.isRequest("/dialogs") ? .answer(json: list) : .proceed }
  }

  @Test(
    "a chat does not answer a dialog that changed since, or whose id is listed twice",
    arguments: [(false, "? Delete all branches?"), (true, QuestionText.changed)]
  )
  func chat(isAfterIt: Bool, shown: String) {
    inTroubledDialogWorld { world, server, trouble in
      let talk = try await ChatTerminal(in: world)
      try await talk.say("ask confirm", see: "1  yes")
      let id = try #require(await world.requestIDs().first)
      trouble.begin(Self.replacement(of: id, isAfterIt: isAfterIt))
      try await talk.rest()
      talk.type("y")
      try await world.pass(.seconds(1))
      try await talk.type(ChatTerminal.enter, see: shown)
      #expect(talk.shows(QuestionText.changed), "\(talk.lines)")
      #expect(server.commands.isEmpty)
      trouble.end()
      talk.type(ChatTerminal.interrupt)
      talk.type(ChatTerminal.interrupt)
    }
  }

  @Test(
    "answer sends nothing if the dialog changes, is listed twice or goes while it is looked up",
    arguments: [("changed", 5), ("twice", 5), ("gone", 5)]
  )
  func command(what: String, status: Int32) {
    inTroubledDialogWorld { world, server, trouble in
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
        let same = dialog
        switch what {
        case "changed": return replace(step)
        case "twice": return .answer(json: ["dialogs": [same, same], "serverNow": 1])
        default: return .answer(json: ["dialogs": [], "serverNow": 1])
        }
      }
      let outcome = await world.oppi("answer", "--", id, "yes")
      #expect(lists.withLock(\.self) >= 2)
      #expect(outcome.status == status && server.commands.isEmpty, "\(outcome)")
    }
  }
}
