// SPDX-License-Identifier: MIT

import LoopbackServer
import OppiModel
import OppiRendering
import Simulation
import Testing

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

  @Test("a chat does not answer a dialog that changed since, and shows the new one")
  func chat() {
    inTroubledDialogWorld { world, server, trouble in
      let talk = try await Talk(in: world)
      talk.say("ask confirm")
      try await talk.see("1  yes")
      let id = try #require(await world.requestIDs().first)
      trouble.begin(Self.replacement(of: id, isAfterIt: false))
      try await talk.rest()
      talk.type("y")
      try await world.pass(.seconds(1))
      talk.type(Talk.enter)
      try await talk.see("? Delete all branches?")
      #expect(talk.shows(QuestionText.changed), "\(talk.lines)")
      #expect(server.commands.isEmpty)
      trouble.end()
      talk.type(Talk.interrupt)
      talk.type(Talk.interrupt)
    }
  }

  @Test("a chat does not answer a dialog whose id the server lists twice")
  func twice() {
    inTroubledDialogWorld { world, server, trouble in
      let talk = try await Talk(in: world)
      talk.say("ask confirm")
      try await talk.see("1  yes")
      let id = try #require(await world.requestIDs().first)
      trouble.begin(Self.replacement(of: id, isAfterIt: true))
      try await talk.rest()
      talk.type("y")
      try await world.pass(.seconds(1))
      talk.type(Talk.enter)
      try await talk.see(QuestionText.changed)
      #expect(server.commands.isEmpty)
      trouble.end()
      talk.type(Talk.interrupt)
      talk.type(Talk.interrupt)
    }
  }
}
