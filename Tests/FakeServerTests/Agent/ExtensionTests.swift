// SPDX-License-Identifier: MIT

import OppiModel
import Testing

@testable import FakeServer
@testable import OppiHost

@Suite("Extensions")
struct ExtensionTests {
  @Test(
    "a dialog is sent once, and its answer is reported",
    arguments: [
      ("ask confirm", "message", ["confirmed": true], "yes"),
      ("ask confirm", "message", ["confirmed": false], "no"),
      ("ask select", "options", ["value": "Green"], "Green"),
      ("ask input", "placeholder", ["value": "Ada"], "Ada"),
      ("ask editor", "prefill", ["value": "one\ntwo"], "one\ntwo"),
      ("ask editor", "prefill", ["cancelled": true], "nothing"),
    ] as [(String, String, JSONValue, String)]
  )
  func dialog(prompt: String, member: String, answer: JSONValue, text: String) throws {
    try TestClient.run { client in
      let (stream, id) = try await client.openSubscribed()
      try await stream.prompt(prompt, in: id)
      let request = try #require(try await stream.read(through: "extension_ui_request").last)
      #expect(request["title"].string != nil)
      #expect(request[member] != .null)
      #expect(RecordedShapes.fits(request))
      let other = try await client.openStream()
      #expect(try await other.subscribe(to: id).all("extension_ui_request").isEmpty)
      try await other.send(
        answer.adding([
          "type": "extension_ui_response", "sessionId": .string(id), "id": request["id"],
        ])
      )
      let texts = try await stream.readRun().all("message_end").map { $0["content"].string }
      #expect(texts == ["You answered: \(text)"])
    }
  }
}
