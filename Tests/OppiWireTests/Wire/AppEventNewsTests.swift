// SPDX-License-Identifier: MIT

import OppiText
import OppiWire
import Testing

@Suite struct AppEventNewsTests {
  private static func summary(
    _ status: String,
    pending: Int = 0,
    messages: Int = 1,
    id: String = "s",
    type: String = "session_summary"
  ) -> JSONValue {
    [
      "type": .string(type),
      "summary": [
        "id": .string(id), "status": .string(status), "pendingAskCount": .integer(Int64(pending)),
        "messageCount": .integer(Int64(messages)),
      ],
    ]
  }

  @Test("a summary is news only if the status or the number of dialogs has changed")
  func summaries() {
    var news = AppEventNews()
    let steps = [
      (Self.summary("ready"), true), (Self.summary("ready"), false), (Self.summary("busy"), true),
      (Self.summary("busy", messages: 7), false), (Self.summary("busy", pending: 1), true),
      (Self.summary("busy", pending: 1, messages: 9), false),
      (Self.summary("busy", pending: 2), true), (Self.summary("ready"), true),
      (Self.summary("ready", id: "other"), true),
    ]
    let taken = steps.map { news.take(json: $0.0) }
    #expect(taken == steps.map(\.1))
  }

  @Test(
    "new and changed sessions come as summaries",
    arguments: ["session_created", "session_imported", "session_discovered", "session_summary"]
  )
  func summaries(type: String) {
    var news = AppEventNews()
    #expect(news.take(json: Self.summary("busy", pending: 2, type: type)) == true)
    #expect(news.take(json: Self.summary("busy", pending: 2, type: type)) == false)
  }

  @Test(
    "after a connection, and after its end, a session is new",
    arguments: [
      ["type": "app_events_connected", "serverTime": 1, "snapshotRequired": true],
      ["type": "session_ended", "sessionId": "s"], ["type": "session_deleted", "sessionId": "s"],
    ] as [JSONValue]
  )
  func again(message: JSONValue) {
    var news = AppEventNews()
    _ = news.take(json: Self.summary("ready"))
    #expect(news.take(json: message) == true)
    #expect(news.take(json: Self.summary("ready")) == true)
  }

  @Test(
    "dialogs, errors and ends are news",
    arguments: [
      ["type": "extension_ui_request", "id": "d", "method": "editor"],
      ["type": "extension_ui_settled", "id": "d"], ["type": "session_error", "message": "x"],
      ["type": "session_ended"], ["type": "session_deleted"], ["type": "stop_failed"],
      ["type": "stop_confirmed", "sessionId": "s"],
    ] as [JSONValue]
  )
  func others(message: JSONValue) {
    var news = AppEventNews()
    #expect(news.take(json: message) == true)
    #expect(news.take(json: message) == true)
  }

  @Test("the error of a turn is kept until the next turn starts or the session is deleted")
  func failures() {
    var news = AppEventNews()
    let error: JSONValue = ["type": "session_error", "sessionId": "s", "message": "no credit"]
    let ended: JSONValue = ["type": "session_ended", "sessionId": "s"]
    let deleted: JSONValue = ["type": "session_deleted", "sessionId": "s"]
    for next in [Self.summary("busy"), deleted] {
      for ends in [[], [ended]] {
        _ = news.take(json: Self.summary("busy"))
        _ = news.take(json: error)
        for message in [Self.summary("busy", messages: 2), Self.summary("ready")] + ends {
          _ = news.take(json: message)
          #expect(news.failures == ["s": "no credit"])
        }
        _ = news.take(json: next)
        #expect(news.failures == [:], "\(next), \(ends)")
        _ = news.take(json: ended)
      }
    }
  }

  @Test(
    "notifications, changes of git, and unknown and incomplete messages are no news",
    arguments: [
      ["type": "extension_ui_notification", "id": "n"], ["type": "stop_requested"],
      ["type": "workspace_git_changed", "workspaceId": "w"], ["type": "agent_start"],
      ["type": "session_summary"], ["type": "session_summary", "summary": ["id": "/a/b"]],
      ["type": "extension_ui_request", "id": "a b"], ["type": "extension_ui_settled"],
    ] as [JSONValue]
  )
  func noNews(message: JSONValue) {
    var news = AppEventNews()
    #expect(news.take(json: message) == false)
  }
}

extension AppEventNews {
  fileprivate mutating func take(json: JSONValue) -> Bool? {
    ServerMessage(json: json).map { take($0) }
  }
}
