// SPDX-License-Identifier: MIT

import OppiModel
import Testing

@Suite("AppEvent")
struct AppEventTests {
  private static func event(_ text: String) -> AppEvent? { AppEvent(bytes: Array(text.utf8)) }

  @Test("the kinds of messages are told apart")
  func kinds() throws {
    #expect(
      Self.event(#"{"type":"app_events_connected","serverTime":1,"snapshotRequired":true}"#)?.kind
        == .connected
    )
    #expect(Self.event(#"{"type":"session_ended","sessionId":"s"}"#)?.kind == .ended)
    #expect(Self.event(#"{"type":"session_deleted","sessionId":"s"}"#)?.kind == .deleted)
    #expect(Self.event(#"{"type":"stop_confirmed","sessionId":"s"}"#)?.kind == .stopped)
    #expect(
      Self.event(#"{"type":"session_error","sessionId":"s","message":"no key"}"#)?.kind
        == .failed(message: "no key")
    )
    #expect(
      Self.event(#"{"type":"extension_ui_settled","id":"d","sessionId":"s"}"#)?.kind
        == .settled(id: "d")
    )
    let asked = Self.event(
      #"{"type":"extension_ui_request","id":"d","sessionId":"s","method":"confirm","title":"?"}"#
    )
    guard case .question(let question) = asked?.kind else {
      Issue.record("\(String(describing: asked))")
      return
    }
    #expect(question.id == "d" && question.method == "confirm")
    #expect(asked?.sessionID == "s")
  }

  @Test(
    "new and changed sessions come as summaries",
    arguments: ["session_created", "session_imported", "session_discovered", "session_summary"]
  )
  func summaries(type: String) {
    let event = Self.event(
      #"{"type":"\#(type)","summary":{"id":"s","status":"busy","pendingAskCount":2}}"#
    )
    guard case .summary(let session) = event?.kind else {
      Issue.record("\(String(describing: event))")
      return
    }
    #expect(session.status == .busy && session.pendingCount == 2)
    #expect(event?.sessionID == "s")
  }

  @Test(
    "unknown and incomplete messages change nothing",
    arguments: [
      #"{"type":"workspace_git_changed","workspaceId":"w"}"#, #"{"type":"agent_start"}"#,
      #"{"type":"session_summary"}"#, #"{"type":"session_summary","summary":{"id":"/a/b"}}"#,
      #"{"type":"extension_ui_request","id":"a b"}"#, #"{"type":"extension_ui_settled"}"#,
    ]
  )
  func others(text: String) {
    #expect(Self.event(text)?.kind == .other)
  }

  @Test("what is not an object with a type is no message", arguments: ["", "7", "[]", "{}"])
  func invalid(text: String) {
    #expect(Self.event(text) == nil)
  }
}

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
