// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import OppiModel
@testable import OppiText
@testable import OppiWire

@Suite struct ServerMessageTests {
  /// One recorded message of each form, from servers of both dialects.
  private static func recorded() throws -> [String] {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "Fixtures/server-messages.jsonl")
    return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(String.init)
  }

  @Test("every recorded message is known except for the old turn marks")
  func recordedMessages() throws {
    let messages = try Self.recorded()
    #expect(messages.count > 100)
    for text in messages {
      let message = try #require(ServerMessage(text: text), "\(text)")
      if case .unknown(let type) = message.kind {
        #expect(["turn_start", "turn_end"].contains(type), "\(text)")
      }
    }
  }

  private func kind(_ text: String) -> ServerMessage.Kind? {
    ServerMessage(text: text)?.kind
  }

  @Test("the envelope is parsed with the message")
  func envelope() {
    let message = ServerMessage(
      json: ["type": "agent_start", "seq": 7, "sessionId": "CdJR04ap"]
    )
    #expect(message == ServerMessage(.agentStart, sessionID: "CdJR04ap", sequence: 7))
  }

  @Test("a result without success is a failure")
  func commandResults() {
    #expect(
      kind(#"{"type":"command_result","command":"prompt","requestId":"r","success":true}"#)
        == .commandResult(CommandResult(requestID: "r", failure: nil, data: .null))
    )
    #expect(
      kind(
        #"{"type":"rpc_result","command":"prompt","requestId":"r","success":false,"error":"no"}"#
      )
        == .commandResult(CommandResult(requestID: "r", failure: "no", data: .null))
    )
    #expect(
      kind(#"{"type":"command_result","command":"prompt","requestId":"r"}"#)
        == .commandResult(CommandResult(requestID: "r", failure: "refused", data: .null))
    )
  }

  @Test("a permission request that does not expire has no deadline")
  func permissionDeadline() throws {
    let text = #"{"type":"permission_request","id":"9T1aeoZLDYNQ","tool":"bash","input":{},"#
    guard case .permissionRequest(let timed) = kind(text + #""timeoutAt":5,"expires":true}"#),
      case .permissionRequest(let endless) = kind(text + #""timeoutAt":5,"expires":false}"#)
    else {
      Issue.record("not read as permission requests")
      return
    }
    #expect(timed.timeoutAt == Timestamp(milliseconds: 5))
    #expect(endless.timeoutAt == nil)
  }

  @Test(
    "a message of a newer server is unknown and not an error",
    arguments: [
      (#"{"type":"from_the_future","x":1}"#, "from_the_future"), (#"{"type":"state"}"#, "state"),
      (#"{"type":"connected","session":{"id":5}}"#, "connected"),
      (#"{"type":"permission_request","id":"a/b"}"#, "permission_request"),
    ]
  )
  func unknown(text: String, type: String) {
    #expect(kind(text) == .unknown(type: type))
  }

  @Test("the queue is parsed, and items without an id are omitted")
  func queue() {
    let steer = QueuedMessage(id: "s", kind: .steer, text: "left")
    let followUp = QueuedMessage(id: "f", kind: .followUp, text: "then")
    let queue =
      #"{"steering":[{"id":"s","message":"left"}],"followUp":[{"id":"f","message":"then"},{}]}"#
    #expect(
      kind(#"{"type":"queue_state","queue":"# + queue + "}") == .queueState([steer, followUp])
    )
    #expect(kind(#"{"type":"queue_state"}"#) == .queueState([]))
    let item = #""item":{"id":"f","message":"then"}}"#
    #expect(
      kind(#"{"type":"queue_item_started","kind":"follow_up","# + item)
        == .queueItemStarted(followUp)
    )
    #expect(
      kind(#"{"type":"queue_item_started","kind":"steer","item":{"id":"s","message":"left"}}"#)
        == .queueItemStarted(steer)
    )
    #expect(
      kind(#"{"type":"queue_item_started","kind":"steer"}"#)
        == .unknown(type: "queue_item_started")
    )
  }

  @Test(
    "each fact of a message is read from its own member",
    arguments: [
      (
        ["type": "compaction_end", "willRetry": true], .compactionEnd(willRetry: true)
      ), (["type": "compaction_end"], .compactionEnd(willRetry: false)),
      (
        [
          "type": "retry_start", "attempt": 1, "maxAttempts": 3, "delayMs": 2000,
          "errorMessage": "overloaded",
        ],
        .retryStart(attempt: 1, of: 3, delay: .seconds(2), error: "overloaded")
      ),
      (
        ["type": "retry_end", "success": true, "finalError": "x"],
        .retryEnd(success: true, error: "x")
      ), (["type": "retry_end"], .retryEnd(success: false, error: nil)),
      (["type": "stop_requested", "source": "user"], .stopRequested),
      (["type": "stop_confirmed", "reason": "x"], .stopConfirmed(reason: "x")),
      (["type": "stop_failed", "reason": "x"], .stopFailed(reason: "x")),
      (["type": "session_ended", "reason": "x"], .sessionEnded(reason: "x")),
      (["type": "permission_expired", "id": "p"], .permissionExpired(id: "p")),
      (["type": "permission_cancelled", "id": "p"], .permissionCancelled(id: "p")),
      (
        ["type": "error", "error": "x", "code": "c", "fatal": true],
        .error(message: "x", code: "c", isFatal: true)
      ), (["type": "error"], .error(message: "unknown error", code: nil, isFatal: false)),
      (
        [
          "type": "tool_output", "toolCallId": "t", "output": "o", "mode": "replace",
          "isError": true, "truncated": true, "totalBytes": 9,
        ],
        .toolOutput(
          ToolOutput(
            callID: "t",
            text: "o",
            replaces: true,
            isTruncated: true,
            totalBytes: 9
          )
        )
      ),
      (
        ["type": "tool_output", "mode": "append"],
        .toolOutput(
          ToolOutput(
            callID: nil,
            text: "",
            replaces: false,
            isTruncated: false,
            totalBytes: nil
          )
        )
      ),
      (
        ["type": "tool_end", "toolCallId": "t", "tool": "bash", "isError": true, "details": 7],
        .toolEnd(callID: "t", tool: "bash", isError: true, details: 7)
      ),
      (
        ["type": "turn_ack", "clientTurnId": "T", "stage": "x", "duplicate": true],
        .turnAcknowledged(
          TurnAcknowledgement(clientTurnID: "T", stage: nil, isDuplicate: true)
        )
      ),
    ] as [(JSONValue, ServerMessage.Kind)]
  )
  func facts(json: JSONValue, kind: ServerMessage.Kind) {
    #expect(ServerMessage(json: json)?.kind == kind)
  }

  @Test("a status has a key, and an empty text clears it")
  func status() {
    let start = #"{"type":"extension_ui_notification","method":"setStatus","statusKey":"k""#
    #expect(kind(start + #","statusText":"on"}"#) == .statusChanged(key: "k", text: "on"))
    #expect(kind(start + #","statusText":""}"#) == .statusChanged(key: "k", text: nil))
    #expect(kind(start + "}") == .statusChanged(key: "k", text: nil))
    #expect(
      kind(#"{"type":"extension_ui_notification","method":"notify","message":"x"}"#)
        == .notification("x")
    )
  }

  @Test("a dialog has a placeholder and a prefill, which is truncated")
  func dialog() {
    let long = String(repeating: "x", count: 100_000)
    let question = UserQuestion(
      id: "q",
      method: "editor",
      body: ["placeholder": "name", "prefill": .string(long)]
    )
    #expect(question.placeholder == "name")
    #expect(question.prefill?.utf8.count == 64 * 1024)
    #expect(UserQuestion(id: "q", method: "input", body: .null).placeholder == nil)
  }

  @Test("a new status is kept as unknown")
  func unknownStatus() {
    #expect(Session.Status("dreaming") == .unknown("dreaming"))
  }

  @Test("any other value is not a message", arguments: [[], 3, [:], ["type": 3]] as [JSONValue])
  func notMessages(json: JSONValue) {
    #expect(ServerMessage(json: json) == nil)
  }
}

extension ServerMessage {
  /// Reads a message from the text of a frame.
  init?(text: String) {
    guard let json = try? JSONValue(parsing: Array(text.utf8)) else { return nil }
    self.init(json: json)
  }
}

@Suite struct ClientMessageTests {
  private static let turn = Prompt("héllo", clientTurnID: "t")

  @Test(
    "a decision for more than one call names how far it goes",
    arguments: [
      (PermissionDecision.allow, "allow", "once"), (.allowForSession, "allow", "session"),
      (.allowEverywhere, "allow", "global"), (.deny, "deny", "once"),
    ]
  )
  func scopes(decision: PermissionDecision, action: String, scope: String) {
    let json = ClientMessage.decide(permissionID: "p", decision)
      .json(sessionID: "S", requestID: "r")
    #expect(json["action"].string == action && json["scope"].string == scope)
    #expect(decision.action == action && decision.scope == scope)
  }

  @Test(
    "what a message carries stands under the member of the protocol",
    arguments: [
      (.subscribe(), #"{"level":"full","type":"subscribe"}"#),
      (.subscribe(since: 5), #"{"level":"full","sinceSeq":5,"type":"subscribe"}"#),
      (.subscribeToNotifications, #"{"level":"notifications","type":"subscribe"}"#),
      (.setThinkingLevel(.high), #"{"level":"high","type":"set_thinking_level"}"#),
      (.setModel("a/b"), #"{"model":"a/b","type":"set_model"}"#),
      (.setSessionName("n"), #"{"name":"n","type":"set_session_name"}"#),
      (.prompt(turn), #"{"clientTurnId":"t","message":"héllo","type":"prompt"}"#),
      (.followUp(turn), #"{"clientTurnId":"t","message":"héllo","type":"follow_up"}"#),
      (.unsubscribe, #"{"type":"unsubscribe"}"#), (.stop, #"{"type":"stop"}"#),
      (.abortRetry, #"{"type":"abort_retry"}"#), (.getQueue, #"{"type":"get_queue"}"#),
      (.getCommands, #"{"type":"get_commands"}"#),
    ] as [(ClientMessage, String)]
  )
  func carried(message: ClientMessage, text: String) throws {
    let members = try #require(JSONValue(parsing: Array(text.utf8)).object)
    let ownStream = message.json(sessionID: nil, requestID: "r")
    #expect(ownStream == .object(members.adding(["requestId": "r"])))
    let shared = message.json(sessionID: "S", requestID: "r")
    #expect(shared == .object(members.adding(["requestId": "r", "sessionId": "S"])))
  }

  @Test(
    "the answer to a dialog names the dialog, and is of its kind",
    arguments: [
      (.value("Yes"), ["value": "Yes"]), (.confirmed(true), ["confirmed": true]),
      (.confirmed(false), ["confirmed": false]), (.cancelled, ["cancelled": true]),
      (.choices(["a": .text("x")]), ["value": #"{"a":"x"}"#]),
      (
        .choices(["a": .text("x"), "b": .list(["y", "z"])]),
        ["value": #"{"a":"x","b":["y","z"]}"#]
      ),
    ] as [(QuestionAnswer, JSONObject)]
  )
  func answers(answer: QuestionAnswer, members: JSONObject) {
    let expected = members.adding([
      "type": "extension_ui_response", "id": "d", "requestId": "r", "sessionId": "S",
    ])
    #expect(
      ClientMessage.answer(questionID: "d", answer).json(sessionID: "S", requestID: "r")
        == .object(expected)
    )
  }

  @Test("images are sent as base64 with their type")
  func images() throws {
    let picture = try #require(ImageAttachment(data: [0x89, 0x50, 0x4E, 0x47, 0x0D]))
    var prompt = Prompt("x", clientTurnID: "t")
    prompt.images = [picture]
    let message = ClientMessage.prompt(prompt)
    let json = message.json(sessionID: nil, requestID: "r")
    #expect(
      json["images"] == [["type": "image", "mimeType": "image/png", "data": "iVBORw0="]]
    )
  }

  @Test(
    "the size of a message is counted without making it",
    arguments: [
      "", "plain", "a \"quote\", a \\ and\r\n\ttabs", "héllo \u{1F600}", "\u{7}\u{202E}\u{FEFF}",
      "👨‍👩‍👧\u{2028}e\u{301}",
    ]
  )
  func size(text: String) {
    var prompt = Prompt(text)
    func size() -> Int {
      ClientMessage.prompt(prompt).json(sessionID: "", requestID: "").text().utf8.count
    }
    #expect(prompt.messageSize(withImages: true) == size())
    let withoutImages = size()
    prompt.images = [0, 1, 2, 3, 100].map { length in
      ImageAttachment(mediaType: "image/png", data: Array(repeating: 7, count: length))
    }
    #expect(prompt.messageSize(withImages: true) == size())
    #expect(prompt.messageSize(withImages: false) == withoutImages)
  }

  @Test(
    "the type of an image is detected by its first bytes",
    arguments: [
      ([0xFF, 0xD8, 0xFF, 0xE0], "image/jpeg"), (Array("GIF89a".utf8), "image/gif"),
      (Array("RIFF....WEBPVP8".utf8), "image/webp"),
    ] as [([UInt8], String)]
  )
  func imageTypes(data: [UInt8], type: String) {
    #expect(ImageAttachment(data: data)?.mediaType == type)
    #expect(ImageAttachment(data: Array("#!/bin/sh".utf8)) == nil)
  }
}

@Suite struct ServerMessagePiecesTests {
  private static let texts = [
    "", "short", String(repeating: "x", count: 200_000), String(repeating: "–", count: 100_000),
    String(repeating: "👩‍👩‍👧‍👦", count: 20_000), String(repeating: "ab\r\n", count: 50_000),
  ]

  private static func text(of message: ServerMessage) -> String {
    switch message.kind {
    case .textDelta(let text), .thinkingDelta(let text): text
    case .toolOutput(let output): output.text
    default: ""
    }
  }

  @Test("a long text is split into pieces of at most 64 KiB", arguments: texts)
  func split(text: String) {
    let output = ToolOutput(
      callID: "c",
      text: text,
      replaces: false,
      isTruncated: false,
      totalBytes: nil
    )
    for kind in [ServerMessage.Kind.textDelta(text), .thinkingDelta(text), .toolOutput(output)] {
      let pieces = ServerMessage(kind, sessionID: "s").pieces
      let texts = pieces.map(Self.text)
      #expect(texts.flatMap { Array($0.utf8) } == Array(text.utf8))
      #expect(texts.allSatisfy { $0.utf8.count <= 64 << 10 })
      #expect(pieces.count == max(1, texts.count { !$0.isEmpty }))
      #expect(pieces.allSatisfy { $0.sessionID == "s" })
    }
  }

  @Test("a message that replaces text is not split")
  func whole() {
    let text = String(repeating: "x", count: 200_000)
    let output = ToolOutput(
      callID: nil,
      text: text,
      replaces: true,
      isTruncated: false,
      totalBytes: nil
    )
    for kind in [ServerMessage.Kind.toolOutput(output), .messageEnd(role: .assistant, text: text)] {
      let message = ServerMessage(kind)
      #expect(message.pieces == [message])
    }
  }
}
