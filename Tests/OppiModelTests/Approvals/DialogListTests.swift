// SPDX-License-Identifier: MIT

import OppiModel
import OppiText
import OppiWire
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

  @Test("a dialog that expires now has expired, and one millisecond later it has not")
  func expiry() throws {
    let now = Timestamp(milliseconds: 1_000_000)
    for (end, hasExpired) in [(1_000_000, true), (999_999, true), (1_000_001, false)] {
      let question = UserQuestion(
        id: "q",
        method: "confirm",
        body: ["timeoutAt": .integer(Int64(end))]
      )
      let approval = PendingApproval(.question(question), clockOffset: .zero)
      #expect(approval.hasExpired(at: now) == hasExpired, "\(end)")
      // The server's clock is 10 s ahead.
      let ahead = PendingApproval(.question(question), clockOffset: .seconds(10))
      #expect(ahead.expiresAt == Timestamp(milliseconds: end - 10_000))
    }
  }

  @Test("a thousand dialogs are listed and sorted")
  func many() throws {
    let entries = (0..<1000).map { number -> JSONValue in
      [
        "id": .string("dialog-\(number)"), "method": "select",
        "title": .string("Run make \(number)?"), "options": ["Yes", "No"],
        "timeoutAt": .integer(Int64(1_000_000 - number)),
      ]
    }
    let dialogs = try #require(UserQuestion.listed(in: ["dialogs": .array(entries)], of: "S"))
    #expect(dialogs.count == 1000)
    let sorted = dialogs.map { PendingApproval(.question($0), clockOffset: .zero) }.sorted()
    #expect(sorted.first?.id == "dialog-999" && sorted.last?.id == "dialog-0")
    #expect(Set(sorted.map(\.digest)).count == 1000)
  }

  @Test("a listed dialog has its kind and its extension instead of a tool and a risk")
  func pending() {
    let question = UserQuestion(
      id: "q",
      method: "select",
      body: ["title": "Run it?\nnow", "extensionDisplayName": "Gate", "options": ["Yes"]]
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
