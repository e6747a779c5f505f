// SPDX-License-Identifier: MIT

import HostTestSupport
import OppiText
import Testing

@Suite("Dialogs of older servers")
struct OlderDialogTests {
  private static func answer(_ dialog: JSONValue, _ members: JSONObject) -> JSONObject {
    let envelope: JSONObject = [
      "type": "extension_ui_response", "id": dialog["id"], "requestId": "a",
    ]
    return envelope.adding(members)
  }

  @Test(
    "older servers send a dialog to later subscribers only if it is a question",
    arguments: [
      ("ask confirm", "message", ["confirmed": true]), ("ask select", "options", ["value": "yes"]),
      ("ask input", "placeholder", ["value": "yes"]), ("ask editor", "prefill", ["value": "yes"]),
      ("a question", "questions", ["value": "{\"scope\":\"yes\"}"]),
    ] as [(String, String, JSONObject)]
  )
  func older(prompt: String, member: String, answer: JSONObject) throws {
    try TestClient.runSession { client, stream in
      let dialog = try await stream.prompt(prompt, untilFirst: "extension_ui_request")
      let isQuestion = dialog["method"] == "ask"
      #expect(isQuestion || dialog["title"].string != nil)
      #expect(dialog[member] != .null)
      #expect(RecordedShapes.fits(dialog))
      let other = try await client.openStream(of: stream.id)
      let opening = try await other.subscribe(["level": "full"])
      #expect(opening.all("extension_ui_request") == (isQuestion ? [dialog] : []))
      try await other.send(Self.answer(["id": "bogus"], ["cancelled": true]))
      let error = try await other.read(through: "error").errors.last
      #expect(error == "UI request not found: bogus")
      try await other.send(Self.answer(dialog, answer))
      let text = try await stream.readRun().lastText
      #expect(text == "You answered: \(isQuestion ? "scope: " : "")yes")
    }
  }
}
