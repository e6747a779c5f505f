// SPDX-License-Identifier: MIT

package import OppiText
package import OppiTransport
import TestSupport
import Testing
import WebSocketCodec

/// A WebSocket stream of a test.
package struct TestStream: Sendable {
  package let socket: WebSocketStream
  /// The session that messages are for.
  package var id = ""
  /// Whether messages name their session.
  package var isMultiplexed = false

  /// The server sent a close frame instead of a message.
  package struct Closed: Error, Equatable {
    package let code: UInt16?
    package let reason: String

    package init(code: UInt16?, reason: String) {
      (self.code, self.reason) = (code, reason)
    }
  }

  package func send(_ messages: JSONObject...) async throws {
    let target: JSONObject = isMultiplexed ? ["sessionId": .string(id)] : [:]
    let texts = messages.map { JSONValue.object(target.adding($0)).text() }
    try await socket.send(texts, until: .farOff)
  }

  package func next() async throws -> JSONValue {
    switch try await socket.receive(until: .farOff) {
    case .message(let bytes): return try JSONValue(parsing: bytes)
    case .closed(let code, let reason): throw Closed(code: code?.rawValue, reason: reason)
    }
  }

  /// Reads messages up to and including the first one of a type.
  @discardableResult
  package func read(through type: String) async throws -> [JSONValue] {
    try await read { $0["type"].string == type }
  }

  /// Reads messages up to and including the first one that meets a condition.
  @discardableResult
  package func read(until isLast: (JSONValue) -> Bool) async throws -> [JSONValue] {
    var messages: [JSONValue] = []
    while true {
      let message = try await next()
      messages.append(message)
      if isLast(message) { return messages }
    }
  }

  /// Reads up to the end of a run and what follows it: the report that nothing follows, or on older
  /// servers a state.
  @discardableResult
  package func readRun() async throws -> [JSONValue] {
    let run = try await read(through: "agent_end")
    return try await run + read { ["agent_settled", "state"].contains($0["type"]) }
  }

  /// Sends a message and reads up to its `command_result`.
  @discardableResult
  package func ask(_ message: JSONObject) async throws -> [JSONValue] {
    try await send(message)
    return try await read(through: "command_result")
  }

  @discardableResult
  package func subscribe(_ members: JSONObject = [:]) async throws -> [JSONValue] {
    let message: JSONObject = ["type": "subscribe", "level": "full", "requestId": "s"]
    return try await ask(message.adding(members))
  }

  /// A prompt, or a message for the queue.
  package static func message(
    _ text: String,
    turn: String,
    as type: String,
    _ members: JSONObject = [:]
  ) -> JSONObject {
    let message: JSONObject = [
      "type": .string(type), "message": .string(text), "requestId": .string(turn),
      "clientTurnId": .string(turn),
    ]
    return message.adding(members)
  }

  package func prompt(_ text: String, turn: String = "t1") async throws {
    try await send(Self.message(text, turn: turn, as: "prompt"))
  }

  /// Sends a prompt, or a message for the queue, and reads up to its `command_result`.
  @discardableResult
  package func submit(
    _ text: String,
    turn: String = "t1",
    as type: String = "prompt",
    _ members: JSONObject = [:]
  ) async throws -> [JSONValue] {
    try await ask(Self.message(text, turn: turn, as: type, members))
  }

  /// Sends a prompt, and reads up to the first message of a type, which is returned.
  @discardableResult
  package func prompt(_ text: String, untilFirst type: String) async throws -> JSONValue {
    try await prompt(text)
    return try await read(through: type).last ?? .null
  }

  /// Reads until the connection is cut; throws if the server sends a close frame.
  package func readUntilCut() async throws {
    do {
      while true { _ = try await next() }
    } catch let farewell as Closed {
      throw farewell
    } catch {}
  }

  package func close() async {
    await socket.close()
  }
}

extension [JSONValue] {
  package var types: [String] { map { $0["type"].string ?? "?" } }

  package func all(_ type: String) -> [JSONValue] { filter { $0["type"].string == type } }

  /// The texts of the errors.
  package var errors: [String?] { map { $0["error"].string } }

  /// The content of the last message of the model or the user.
  package var lastText: String? { all("message_end").last?["content"].string }

  /// The messages that no real server sends.
  package var unknown: [JSONValue] { filter { !RecordedShapes.fits($0) } }
}

/// The members of server messages that programs read, as recorded from real servers.
package enum RecordedShapes {
  package struct Shape {
    /// Members besides `type` and `sessionId`.
    let required: Set<String>
    var optional: Set<String> = []
  }

  /// The members of each type; a question mark precedes those that may be missing.
  private static let table = """
    agent_end seq
    agent_start seq
    command_result command success ?data ?error ?requestId
    connected currentSeq session
    error error ?code ?seq
    extension_ui_request id method ?allowCustom ?message ?options ?placeholder ?prefill \
      ?questions ?title
    message_end content role seq
    permission_cancelled id streamSeq
    permission_expired id reason streamSeq
    permission_request displaySummary expires id input reason timeoutAt tool ?streamSeq
    queue_item_started item kind queueVersion
    queue_state queue
    retry_end success attempt ?finalError
    retry_start attempt maxAttempts delayMs errorMessage
    session_ended reason seq
    state session
    stop_confirmed seq source ?reason
    stop_failed reason seq source
    stop_requested seq source ?reason
    stream_connected userName
    text_delta delta
    thinking_delta delta
    tool_end seq tool toolCallId ?details ?isError
    tool_output output toolCallId ?mode ?totalBytes ?truncated
    tool_start args seq tool toolCallId
    turn_ack clientTurnId command stage ?duplicate ?requestId
    """

  package static let messages: [String: Shape] = Dictionary(
    uniqueKeysWithValues: table.split(separator: "\n").map { row in
      let names = row.split(separator: " ").map(String.init)
      let (optional, required) = (
        names.filter { $0.hasPrefix("?") }, names.dropFirst().filter { !$0.hasPrefix("?") }
      )
      let shape = Shape(
        required: Set(required),
        optional: Set(optional.map { String($0.dropFirst()) })
      )
      return (names[0], shape)
    }
  )

  package static let session = Shape(
    required: [
      "contextWindow", "cost", "createdAt", "id", "lastActivity", "messageCount", "model", "status",
      "workspaceId", "workspaceName",
    ],
    optional: ["firstMessage", "lastMessage", "name", "parentSessionId", "thinkingLevel"]
  )

  /// Whether a message has all required members and no unknown ones.
  package static func fits(_ message: JSONValue) -> Bool {
    guard let shape = messages[message["type"].string ?? ""] else { return false }
    let isMessage = fits(message, shape, envelope: ["type", "sessionId"])
    return isMessage && (message["session"] == .null || fits(message["session"], session))
  }

  private static func fits(
    _ object: JSONValue,
    _ shape: Shape,
    envelope: Set<String> = []
  ) -> Bool {
    let names = Set((object.object ?? [:]).map(\.key)).subtracting(envelope)
    return names.isSuperset(of: shape.required)
      && names.isSubset(of: shape.required.union(shape.optional))
  }
}
