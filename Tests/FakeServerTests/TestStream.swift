// SPDX-License-Identifier: MIT

import OppiModel
import OppiTransport
import TestSupport
import Testing
import WebSocketCodec

/// A WebSocket stream of a test.
struct TestStream: Sendable {
  let socket: WebSocketStream

  /// The server sent a close frame instead of a message.
  struct Closed: Error, Equatable {
    let code: UInt16?
    let reason: String
  }

  func send(_ messages: JSONValue...) async throws {
    try await socket.send(messages.map { $0.text() }, until: .farOff)
  }

  func next() async throws -> JSONValue {
    switch try await socket.receive(until: .farOff) {
    case .message(let bytes): return try JSONValue(parsing: bytes)
    case .closed(let code, let reason): throw Closed(code: code?.rawValue, reason: reason)
    }
  }

  /// Reads messages up to and including the first one of a type.
  @discardableResult
  func read(through type: String) async throws -> [JSONValue] {
    try await read { $0["type"].string == type }
  }

  /// Reads messages up to and including the first one that meets a condition.
  @discardableResult
  func read(until isLast: (JSONValue) -> Bool) async throws -> [JSONValue] {
    var messages: [JSONValue] = []
    while true {
      let message = try await next()
      messages.append(message)
      if isLast(message) { return messages }
    }
  }

  /// Reads up to the end of a run and the state that follows it.
  @discardableResult
  func readRun() async throws -> [JSONValue] {
    try await read(through: "agent_end") + read(through: "state")
  }

  /// Sends a message and reads up to its `command_result`.
  @discardableResult
  func ask(_ message: JSONValue) async throws -> [JSONValue] {
    try await send(message)
    return try await read(through: "command_result")
  }

  @discardableResult
  func subscribe(to id: String, _ members: JSONObject = [:]) async throws -> [JSONValue] {
    let message: JSONObject = [
      "type": "subscribe", "sessionId": .string(id), "level": "full", "requestId": "s",
    ]
    return try await ask(.object(message.adding(members)))
  }

  func prompt(_ text: String, in id: String?, turn: String = "t1") async throws {
    try await send(
      .object([
        "type": "prompt",
        "sessionId": id.map(JSONValue.string),
        "message": .string(text),
        "requestId": "p",
        "clientTurnId": .string(turn),
      ])
    )
  }

  /// Reads until the connection is cut; throws if the server sends a close frame.
  func readUntilCut() async throws {
    do {
      while true { _ = try await next() }
    } catch let farewell as Closed {
      throw farewell
    } catch {}
  }

  func close() async {
    await socket.close()
  }
}

extension [JSONValue] {
  var types: [String] { map { $0["type"].string ?? "?" } }

  func all(_ type: String) -> [JSONValue] { filter { $0["type"].string == type } }
}
