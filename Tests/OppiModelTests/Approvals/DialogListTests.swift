// SPDX-License-Identifier: MIT

import OppiModel
import OppiText
import OppiWire
import TestSupport
import Testing

/// The dialogs of a session as listed over REST, and the responses to answers.
@Suite struct DialogListTests {
  @Test("dialogs keep their order and get their session, and unusable entries are left out")
  func list() throws {
    let json: JSONValue = [
      "dialogs": [
        ["id": "b", "method": "select", "title": "x", "options": ["Yes"], "timeoutAt": 5],
        ["id": "a", "method": "confirm"], ["id": "no/id", "method": "confirm"],
        ["method": "confirm"], 3,
      ]
    ]
    let dialogs = try #require(UserQuestion.listed(in: json, of: "S"))
    #expect(dialogs.map(\.id) == ["b", "a"] && dialogs.map(\.sessionID) == ["S", "S"])
    #expect(UserQuestion.listed(in: [:], of: "S") == nil)
    #expect(UserQuestion.listed(in: ["dialogs": []], of: "S") == [])
  }

  @Test("a listed dialog has its kind and its extension instead of a tool and a risk")
  func pending() {
    let question = UserQuestion.sample(
      "select",
      ["title": "Run it?\nnow", "extensionDisplayName": "Gate", "options": ["Yes"]]
    )
    let approval = PendingApproval(.question(question), clockOffset: .zero)
    #expect(approval.kind == .select && approval.tool == "select" && approval.risk == nil)
    #expect(approval.summary == "Run it? now" && approval.reason == "asked by Gate")
  }

  // MARK: - Responses

  private static func reply(_ messages: JSONValue...) -> DialogReply? {
    DialogReply(json: ["messages": .array(messages)], dialogID: "d", requestID: "r")
  }

  private static let gone: JSONValue = ["type": "error", "error": "UI request not found: d"]
  private static func result(_ error: String, _ id: String? = "r") -> JSONValue {
    .object([
      "type": "command_result", "command": "extension_ui_response", "success": false,
      "requestId": id.map(JSONValue.string), "error": .string(error),
    ])
  }

  @Test("a response without an error accepts the answer, and is no confirmation")
  func accepted() {
    #expect(Self.reply() == .accepted)
    #expect(Self.reply(["type": "extension_ui_settled", "id": "d"]) == .accepted)
    #expect(
      Self.reply([
        "type": "command_result", "command": "extension_ui_response", "requestId": "r",
        "success": true,
      ]) == .accepted
    )
    #expect(DialogReply(json: [:], dialogID: "d", requestID: "r") == nil)
  }

  @Test("the error for the dialog, and an agent that is not loaded, show that it is gone")
  func goneReplies() {
    #expect(Self.reply(Self.gone) == .gone)
    #expect(Self.reply(Self.result("Session not active: S")) == .gone)
    #expect(Self.reply(Self.result("UI request not found: d")) == .gone)
    // A failed result without an id belongs to the only command.
    #expect(Self.reply(Self.result("UI request not found: d", nil)) == .gone)
    #expect(Self.reply(Self.result("Invalid payload"), Self.gone) == .gone)
  }

  @Test("any other error is a refusal with the server's reason")
  func refused() {
    #expect(
      Self.reply(["type": "error", "error": "UI request not found: e"])
        == .refused(reason: "UI request not found: e")
    )
    let unsupported = "Unsupported command type: extension_ui_response"
    #expect(Self.reply(Self.result(unsupported, nil)) == .refused(reason: unsupported))
    #expect(Self.reply(Self.result("Invalid payload", "other")) == .accepted)
  }
}
