// SPDX-License-Identifier: MIT

import FakeServer
import OppiText
import WebSocketCodec

extension MatrixFault {
  /// Faults of a server at the level of WebSocket frames.
  static let frames: [MatrixFault] =
    [1000, 1001, 1008, 1011, 4001].map { (code: UInt16) in
      .server("close \(code)", at: .spoken, .close(CloseCode(rawValue: code), reason: evil))
    } + [
      .server("close without a code", at: .spoken, .close(nil, reason: "")),
      .server("close of 1 byte", at: .spoken, bytes([0x88, 0x01, 0x03])),
      .server("masked frame", at: .spoken, bytes([0x81, 0x81, 1, 2, 3, 4, 0x7A])),
      .server("reserved bit", at: .spoken, bytes([0xC1, 0x01, 0x7B])),
      .server("reserved opcode", at: .spoken, bytes([0x83, 0x00])),
      .server("frame of 2^62", at: .spoken, bytes([0x81, 127, 0x40, 0, 0, 0, 0, 0, 0, 0])),
      .server("stray continuation", at: .spoken, bytes([0x80, 0x01, 0x7A])),
      .server("fragmented ping", at: .spoken, bytes([0x09, 0x00])),
      .server(
        "long ping",
        at: .spoken,
        bytes([0x89, 126, 0, 126] + [UInt8](repeating: 0, count: 126))
      ),
      .server("half a frame", at: .spoken, bytes([0x81, 0x10, 0x7B], then: .drop)),
      .server("bad UTF-8", at: .spoken, bytes(frame(1, [0xC3, 0x28]))),
      .server("binary frame", at: .spoken, bytes(frame(2, [0x00]))),
      .harmless("in frames of 1", at: .streams, .proceedFragmented(size: 1)),
      .harmless("pings", at: .spoken, bytes(pings, then: .proceed)),
      .harmless("stray pong", at: .spoken, bytes(frame(10, [1]), then: .proceed)),
    ]

  /// Faults of a server at the level of WebSocket messages.
  static let messages: [MatrixFault] = [
    .server("no JSON", at: .spoken, message("<\u{1B}[2J>")),
    .server("JSON list", at: .spoken, message("[1]")),
    .server("type of 5", at: .spoken, message("{\"type\":5}")),
    .server("wrong connected", at: .spoken, message("{\"type\":\"connected\",\"session\":5}")),
    .server(
      "wrong result",
      at: .spoken,
      message("{\"type\":\"command_result\",\"command\":5,\"success\":\"yes\"}")
    ),
    .server("error", at: .spoken, .reply([["type": "error", "error": .string(evil)]])),
    .server("refused", at: [.message]) { refusal(of: $0, evil) },
    .server("no room", at: [.message]) { refusal(of: $0, full) },
    .server("result of another", at: [.message]) { step in
      guard case .message(let message, _) = step else { return .proceed }
      return .reply([
        ["type": "command_result", "command": message["type"], "requestId": "?", "success": true]
      ])
    },
    .harmless(
      "unknown message",
      at: .spoken,
      message("{\"type\":\"from_the_future\",\"sessionId\":[]}", then: .proceed)
    ),
  ]

  private static func refusal(of step: Step, _ words: String) -> Intervention {
    guard case .message(let message, _) = step else { return .proceed }
    return .refuse(message, error: words)
  }

  private static func bytes(
    _ bytes: [UInt8],
    then next: Intervention = .hang
  ) -> Intervention {
    .send(bytes, then: next)
  }

  private static func message(
    _ text: String,
    then next: Intervention = .hang
  ) -> Intervention {
    .send(frame(1, Array(text.utf8)), then: next)
  }

  private static func frame(_ opcode: UInt8, _ payload: [UInt8]) -> [UInt8] {
    [0x80 | opcode, UInt8(payload.count)] + payload
  }

  private static let pings = (0..<50).flatMap { frame(9, [UInt8($0)]) }
}
