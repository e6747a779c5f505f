// SPDX-License-Identifier: MIT

import FakeServer
import HTTPCodec
import OppiText

/// What a hostile server sends without end.
struct Flood: Sendable {
  var name: String
  var isList = false
  var interceptor: Interceptor

  /// Each flood separately.
  static let all = streams + answers
  /// All floods of streams in turn, and a list that is just short enough.
  static let few = [mixed, lists("20,000 sessions", sessions)]
}

// MARK: - Streams

extension Flood {
  /// At least the size of one write.
  private static let blockSize = 64 << 10

  private typealias Blocks = @Sendable (Int) -> [UInt8]

  /// Blocks of messages, each of which has the number of its kind.
  private static func messages(_ message: @escaping @Sendable (Int) -> JSONValue) -> Blocks {
    let size = frame(1, message(1).bytes()).count
    let count = max(1, blockSize / size)
    return { block in (0..<count).flatMap { frame(1, message(block * count + $0).bytes()) } }
  }

  /// A flood on every stream, from its start.
  private init(_ name: String, _ blocks: @escaping Blocks) {
    self.init(name: name) { step in
      if case .opened = step { .flood(blocks) } else { .proceed }
    }
  }

  /// The same, and prompts get no answer.
  private var unanswered: Flood {
    Flood(name: "\(name), prompts unanswered") { step in
      step.isMessage("prompt") ? .ignore : interceptor(step)
    }
  }

  private static let mixed = Flood("all messages") { number in
    kinds[number % kinds.count].blocks(number / kinds.count)
  }
  .unanswered

  private static let streams =
    kinds.map { Flood($0.name, $0.blocks) }
    + kinds.prefix(2).map { Flood($0.name, $0.blocks).unanswered } + unendingMessages

  private static func frame(_ opcode: UInt8, _ payload: [UInt8], isFinal: Bool = true) -> [UInt8] {
    let first: UInt8 = isFinal ? 0x80 | opcode : opcode
    let count = payload.count
    if count < 126 { return [first, UInt8(count)] + payload }
    if count < 1 << 16 { return [first, 126, UInt8(count >> 8), UInt8(count & 0xFF)] + payload }
    let length: [UInt8] = (0..<8).map { byte in UInt8(count >> (56 - 8 * byte) & 0xFF) }
    return [first, 127] + length + payload
  }

  private static let filler = JSONValue.string(String(repeating: "x", count: 1000))

  /// Short and complete messages.
  private static let kinds: [(name: String, blocks: Blocks)] = [
    (
      "unknown messages",
      messages { ["type": "mystery", "n": .integer(Int64($0)), "data": filler] }
    ),
    (
      "deltas",
      messages { ["type": "text_delta", "delta": .string("word \($0)\n"), "data": filler] }
    ),
    (
      "pings",
      { _ in
        let ping = frame(9, Array("are you there?".utf8))
        return (0..<(blockSize / ping.count)).flatMap { _ in ping }
      }
    ),
    (
      "tool output",
      messages {
        [
          "type": $0 % 10 == 0 ? "tool_start" : "tool_output", "tool": "bash",
          "toolCallId": .string("call-\($0 / 10)"), "args": ["command": "make"],
          "output": filler,
        ]
      }
    ),
    (
      "events",
      messages {
        [
          "type": $0 % 2 == 0 ? "state" : "session_summary", "session": session($0),
          "summary": session($0),
        ]
      }
    ),
    ("turns", messages { ["type": $0 % 2 == 0 ? "agent_start" : "agent_end"] }),
    (
      "dialogs",
      messages {
        [
          "type": "extension_ui_request", "id": .string("d\($0)"), "method": "confirm",
          "title": "Sure?", "message": filler,
        ]
      }
    ),
  ]

  private static let unendingMessages = [
    Flood(
      "long deltas",
      messages { _ in
        ["type": "text_delta", "delta": .string(String(repeating: "a line\n", count: 100_000))]
      }
    ),
    Flood("fragments of one byte") { number in
      let isLast = number % 100 == 99
      let count = blockSize / 3
      return (0..<count).flatMap { index in
        frame(
          index == 0 && number % 100 == 0 ? 1 : 0,
          [UInt8(ascii: " ")],
          isFinal: isLast && index == count - 1
        )
      }
    },
    Flood(
      "huge messages",
      messages { _ in
        ["type": "mystery", "data": .array(Array(repeating: [:], count: 4_000_000))]
      }
    ),
  ]

  private static func session(_ number: Int) -> JSONValue {
    [
      "id": .string("s\(number)"), "status": number % 3 == 0 ? "busy" : "ready",
      "workspaceId": "qX3dEmo0", "workspaceName": "demo", "name": .string("session \(number)"),
      "firstMessage": "Please look at this again, and tell me what you think of it.",
      "createdAt": 1_700_000_000_000, "lastActivity": .integer(Int64(1_700_000_000_000 + number)),
      "model": "anthropic/claude-sonnet-4-6", "messageCount": 3, "cost": .double(0.25),
      "tokens": ["input": 1000, "output": 2000], "runtime": "host",
    ]
  }
}

// MARK: - Answers

extension Flood {
  private static let chunkedHead = Array(
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n".utf8
  )

  /// Answers every `GET` that is not an upgrade with a body.
  private static func answers(
    _ name: String,
    _ head: [UInt8],
    _ body: @escaping @Sendable (Int) -> [UInt8]
  ) -> Flood {
    Flood(name: name) { step in
      guard case .request(let request, _) = step, request.headers["Upgrade"] == nil else {
        return .proceed
      }
      return .send(head, then: .flood(body))
    }
  }

  /// Answers every `GET` with a list.
  private static func lists(_ name: String, _ bytes: [UInt8]) -> Flood {
    Flood(name: name, isList: true) { step in
      guard case .request(let request, _) = step, request.method == "GET",
        request.headers["Upgrade"] == nil
      else { return .proceed }
      return .answer(HTTPResponse(status: 200, body: bytes))
    }
  }

  private static func list(of element: (Int) -> String, count: Int) -> [UInt8] {
    var list = Array(#"{"sessions":["#.utf8)
    for number in 0..<count {
      if number > 0 { list.append(UInt8(ascii: ",")) }
      list += element(number).utf8
    }
    return list + Array("]}".utf8)
  }

  private static let sessions = list(of: { session($0).text() }, count: 20_000)

  private static let answers: [Flood] = [
    answers("chunks of one byte", chunkedHead) { _ in
      let chunk = Array("1\r\n \r\n".utf8)
      return (0..<(blockSize / chunk.count)).flatMap { _ in chunk }
    },
    answers("an endless body", Array("HTTP/1.1 200 OK\r\n\r\n".utf8)) { _ in
      [UInt8](repeating: UInt8(ascii: " "), count: blockSize)
    },
    lists("20,000 sessions", sessions),
    lists("40,000 sessions", list(of: { session($0).text() }, count: 40_000)),
    lists("a list of empty objects", list(of: { _ in "{}" }, count: 5_000_000)),
    lists(
      "a list of long names",
      list(of: { #"{"\#($0)aaaaaaaaaaaaaaa":"bbbbbbbbbbbbbbbb"}"# }, count: 370_000)
    ),
  ]
}
