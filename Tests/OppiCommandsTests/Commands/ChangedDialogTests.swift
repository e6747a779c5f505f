// SPDX-License-Identifier: MIT

import LoopbackServer
import OppiModel
import OppiRendering
import Simulation
import Testing

/// Dialogs that change on the server under their ids.
@Suite struct ChangedDialogTests {
  /// Lists another dialog under the id of the pending one.
  private static func replacement(of id: String) -> @Sendable (Step) -> Intervention {
    let dialog: JSONValue = [
      "id": .string(id), "method": "confirm", "title": "Delete all branches?",
    ]
    let list: JSONValue = ["dialogs": [dialog], "serverNow": 1]
    return { $0.isRequest("/dialogs") ? .answer(json: list) : .proceed }
  }

  @Test("a chat does not answer a dialog that changed since, and shows the new one")
  func chat() {
    inTroubledDialogWorld { world, server, trouble in
      let talk = try await Talk(in: world)
      talk.say("ask confirm")
      try await talk.see("1  yes")
      let id = try #require(await world.requestIDs().first)
      trouble.begin(Self.replacement(of: id))
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
}
