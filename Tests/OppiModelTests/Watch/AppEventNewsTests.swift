// SPDX-License-Identifier: MIT

import OppiModel
import Testing

@Suite("AppEventNews")
struct AppEventNewsTests {
  private static func event(_ json: JSONValue) throws -> AppEvent {
    try #require(AppEvent(json: json))
  }

  private static func summary(
    _ status: String,
    pending: Int = 0,
    messages: Int = 1,
    id: String = "s"
  ) throws -> AppEvent {
    try event([
      "type": "session_summary",
      "summary": [
        "id": .string(id), "status": .string(status), "pendingAskCount": .integer(Int64(pending)),
        "messageCount": .integer(Int64(messages)),
      ],
    ])
  }

  @Test("a summary is news only if the status or the number of dialogs has changed")
  func summaries() throws {
    var news = AppEventNews()
    #expect(news.take(try Self.summary("ready")))
    #expect(!news.take(try Self.summary("ready")))
    #expect(news.take(try Self.summary("busy")))
    #expect(!news.take(try Self.summary("busy", messages: 7)))
    #expect(news.take(try Self.summary("busy", pending: 1)))
    #expect(!news.take(try Self.summary("busy", pending: 1, messages: 9)))
    #expect(news.take(try Self.summary("busy", pending: 2)))
    #expect(news.take(try Self.summary("ready")))
    #expect(news.take(try Self.summary("ready", id: "other")))
  }

  @Test("after a connection, every session is new")
  func connected() throws {
    var news = AppEventNews()
    _ = news.take(try Self.summary("ready"))
    #expect(news.take(try Self.event(["type": "app_events_connected"])))
    #expect(news.take(try Self.summary("ready")))
  }

  @Test(
    "dialogs, errors and ends are news",
    arguments: [
      ["type": "extension_ui_request", "id": "d", "method": "editor"],
      ["type": "extension_ui_settled", "id": "d"], ["type": "session_error", "message": "x"],
      ["type": "session_ended"], ["type": "session_deleted"], ["type": "stop_failed"],
    ] as [JSONValue]
  )
  func others(json: JSONValue) throws {
    var news = AppEventNews()
    #expect(news.take(try Self.event(json)))
    #expect(news.take(try Self.event(json)))
  }

  @Test("notifications and changes of git are no news")
  func noNews() throws {
    var news = AppEventNews()
    #expect(!news.take(try Self.event(["type": "extension_ui_notification", "id": "n"])))
    #expect(!news.take(try Self.event(["type": "workspace_git_changed"])))
    #expect(!news.take(try Self.event(["type": "stop_requested"])))
  }

  @Test("an ended session is new when it starts again")
  func again() throws {
    var news = AppEventNews()
    _ = news.take(try Self.summary("ready"))
    _ = news.take(try Self.event(["type": "session_ended", "sessionId": "s"]))
    #expect(news.take(try Self.summary("ready")))
  }
}
