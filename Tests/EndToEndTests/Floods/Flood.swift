// SPDX-License-Identifier: MIT

import HTTPCodec
import LoopbackServer
import OppiModel
import Testing

/// What a hostile server sends for ever.
struct Flood: Sendable, CustomTestStringConvertible {
  var name: String
  var interceptor: Interceptor

  var testDescription: String { name }
}

// MARK: - Streams

extension Flood {
  /// At least the size of one write.
  private static let blockSize = 64 << 10

  /// A flood of messages on every stream, from its start; each has the number of its kind.
  private static func messages(
    _ name: String,
    _ message: @escaping @Sendable (Int) -> JSONValue
  ) -> Flood {
    let size = frame(1, message(1).bytes()).count
    let count = max(1, blockSize / size)
    return frames(name) { block in
      (0..<count).flatMap { frame(1, message(block * count + $0).bytes()) }
    }
  }

  private static func frames(
    _ name: String,
    _ bytes: @escaping @Sendable (Int) -> [UInt8]
  ) -> Flood {
    Flood(name: name) { step in
      if case .opened = step { .flood(bytes) } else { .proceed }
    }
  }

  /// The same, and prompts get no answer.
  private static func unanswered(_ flood: Flood) -> Flood {
    Flood(name: "\(flood.name), prompts unanswered") { step in
      step.isMessage("prompt") ? .ignore : flood.interceptor(step)
    }
  }

  private static func frame(_ opcode: UInt8, _ payload: [UInt8], isFinal: Bool = true) -> [UInt8] {
    let first: UInt8 = isFinal ? 0x80 | opcode : opcode
    let count = payload.count
    if count < 126 { return [first, UInt8(count)] + payload }
    if count < 1 << 16 { return [first, 126, UInt8(count >> 8), UInt8(count & 0xFF)] + payload }
    return [first, 127] + (0..<8).map { UInt8(count >> (56 - 8 * $0) & 0xFF) } + payload
  }

  private static let filler = JSONValue.string(String(repeating: "x", count: 1000))

  static let unknown = messages("unknown messages") {
    ["type": "mystery", "n": .integer(Int64($0)), "data": filler]
  }

  static let deltas = messages("deltas") {
    ["type": "text_delta", "delta": .string("word \($0)\n"), "data": filler]
  }

  static let streams: [Flood] = [
    unknown, unanswered(unknown), deltas, unanswered(deltas),
    frames("pings") { _ in
      let ping = frame(9, Array("are you there?".utf8))
      return (0..<(blockSize / ping.count)).flatMap { _ in ping }
    },
    messages("long deltas") { _ in
      ["type": "text_delta", "delta": .string(String(repeating: "a line\n", count: 100_000))]
    },
    messages("tool output") {
      [
        "type": $0 % 10 == 0 ? "tool_start" : "tool_output", "tool": "bash",
        "toolCallId": .string("call-\($0 / 10)"), "args": ["command": "make"], "output": filler,
      ]
    },
    messages("events") { number in
      [
        "type": number % 2 == 0 ? "state" : "session_summary",
        "session": session(number), "summary": session(number),
      ]
    },
    messages("turns") { number in
      number % 2 == 0 ? ["type": "agent_start"] : ["type": "agent_end"]
    },
    messages("dialogs") {
      [
        "type": "extension_ui_request", "id": .string("d\($0)"), "method": "confirm",
        "title": "Sure?", "message": filler,
      ]
    },
    frames("fragments of one byte") { number in
      let last = number % 100 == 99
      let count = blockSize / 3
      return (0..<count).flatMap { index in
        frame(
          index == 0 && number % 100 == 0 ? 1 : 0,
          [UInt8(ascii: " ")],
          isFinal: last && index == count - 1
        )
      }
    },
    messages("huge messages") { _ in
      ["type": "mystery", "data": .array(Array(repeating: [:], count: 4_000_000))]
    },
  ]

  static func session(_ number: Int) -> JSONValue {
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
    Flood(name: name) { step in
      guard case .request(let request, _) = step, request.method == "GET",
        request.headers["Upgrade"] == nil
      else { return .proceed }
      let head = "HTTP/1.1 200 OK\r\nContent-Length: \(bytes.count)\r\n\r\n"
      return .send(Array(head.utf8) + bytes, then: .ignore)
    }
  }

  /// A list with all names of lists, below the limit of an answer.
  private static func list(of element: (Int) -> String, bytes limit: Int) -> [UInt8] {
    var list: [UInt8] = []
    var number = 0
    while list.count < limit {
      if number > 0 { list.append(UInt8(ascii: ",")) }
      list += element(number).utf8
      number += 1
    }
    return Array(#"{"sessions":["#.utf8) + list + Array("]}".utf8)
  }

  static let answers: [Flood] = [
    answers("chunks of one byte", chunkedHead) { _ in
      let chunk = Array("1\r\n \r\n".utf8)
      return (0..<(blockSize / chunk.count)).flatMap { _ in chunk }
    },
    answers("an endless body", Array("HTTP/1.1 200 OK\r\n\r\n".utf8)) { _ in
      [UInt8](repeating: UInt8(ascii: " "), count: blockSize)
    },
    lists("20,000 sessions", list(of: { session($0).text() }, bytes: 8_000_000)),
    lists("a list of 31 MB", list(of: { session($0).text() }, bytes: 31_000_000)),
    lists("a list of empty objects", list(of: { _ in "{}" }, bytes: 31_000_000)),
    lists(
      "a list of long names",
      list(of: { #"{"\#($0)aaaaaaaaaaaaaaa":"bbbbbbbbbbbbbbbb"}"# }, bytes: 31_000_000)
    ),
  ]
}
