// SPDX-License-Identifier: MIT

import FakeServer
import Foundation
import HTTPCodec
import OppiModel
import OppiTransport
import TestSupport
import Testing
import WebSocketCodec

extension MisbehaviourTests {
  private static let evil = "\u{1B}]0;owned\u{07}\u{1B}[2J no\nsecond line\u{202E}"

  private static func at(
    _ condition: @escaping @Sendable (Step) -> Bool,
    _ intervention: Intervention
  ) -> Interceptor {
    { condition($0) ? intervention : .proceed }
  }

  private static func status(_ code: Int) -> Interceptor {
    at(\.isCreation, .answer(status: code, error: evil))
  }

  private static func body(_ text: String, status: String = "201 Created") -> Interceptor {
    let bytes = Array(
      "HTTP/1.1 \(status)\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)".utf8
    )
    return at(\.isCreation, .send(bytes, then: .drop))
  }

  private static func upgrade(_ head: @escaping @Sendable (String) -> String) -> Interceptor {
    { $0.isUpgrade ? .send(Array(head($0.accept).utf8), then: .hang) : .proceed }
  }

  /// Sends raw bytes when the prompt arrives.
  private static func afterPrompt(
    _ bytes: [UInt8],
    then next: Intervention = .hang
  ) -> Interceptor {
    at({ $0.isMessage("prompt") }, .send(bytes, then: next))
  }

  private static func frame(_ opcode: UInt8, _ payload: [UInt8]) -> [UInt8] {
    [0x80 | opcode, UInt8(payload.count)] + payload
  }

  static let cases: [Case] = beforeTheSession + beforeThePrompt + afterThePrompt

  private static let beforeTheSession = [
    Case("hangs before the request is read", status: 75, { _ in .hang }),
    Case(
      "drops the connection at once",
      status: 69,
      at({ if case .accepted = $0 { true } else { false } }, .drop)
    ),
    Case("never answers the creation", status: 75, at(\.isCreation, .hang)),
    Case("drops the creation unanswered", status: 69, at(\.isCreation, .drop)),
    Case(
      "creates the session and drops the connection",
      status: 69,
      at(\.isCreation, .performThenDrop)
    ),
    Case("answers 401", status: 77, status(401)),
    Case("answers 403", status: 77, status(403)),
    Case("answers 404", status: 66, status(404)),
    Case("answers 429", status: 75, status(429)),
    Case("answers 500", status: 69, status(500)),
    Case("answers 503", status: 75, status(503)),
    Case("answers with HTML", status: 76, body("<html>\u{1B}[31m</html>")),
    Case("answers with half a document", status: 76, body("{\"session\":{\"id\":")),
    Case("answers with wrong types", status: 76, body("{\"session\":{\"id\":5}}")),
    Case("answers with a list", status: 76, body("[1]")),
    Case(
      "sends less than the stated length",
      status: 69,
      at(
        \.isCreation,
        .send(Array("HTTP/1.1 201 X\r\nContent-Length: 99\r\n\r\n{".utf8), then: .drop)
      )
    ),
    Case(
      "is not an HTTP server",
      status: 76,
      at(\.isCreation, .send(Array("SSH-2.0-OpenSSH_9.2\r\n".utf8), then: .hang))
    ),
    Case(
      "sends an oversized head",
      status: 76,
      at(
        \.isCreation,
        .send(
          Array("HTTP/1.1 200 X\r\n".utf8) + [UInt8](repeating: 0x61, count: 100_000),
          then: .hang
        )
      )
    ),
    Case(
      "answers with 80 MB",
      status: 76,
      body("{\"a\":\"" + String(repeating: "x", count: 80_000_000) + "\"}")
    ),
  ]

  private static let beforeThePrompt = [
    Case(
      "answers byte by byte",
      status: 0,
      prompts: 1,
      at({ if case .request = $0 { true } else { false } }, .proceedInPieces(size: 1))
    ),
    Case(
      "refuses the upgrade with 401",
      status: 77,
      at(\.isUpgrade, .answer(status: 401, error: evil))
    ),
    Case(
      "refuses every stream with 404",
      status: 76,
      { step in
        if case .request(let request, _) = step, request.target.hasSuffix("/stream") {
          return .answer(status: 404, error: "Not found")
        }
        return .proceed
      }
    ),
    Case("never answers the upgrade", status: 75, at(\.isUpgrade, .hang)),
    Case(
      "upgrades with a wrong key",
      status: 76,
      upgrade { _ in
        "HTTP/1.1 101 X\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: bm90IHRoZSByaWdodCBvbmUh\r\n\r\n"
      }
    ),
    Case(
      "upgrades with an unrequested extension",
      status: 76,
      upgrade {
        "HTTP/1.1 101 X\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: \($0)\r\nSec-WebSocket-Extensions: permessage-deflate\r\n\r\n"
      }
    ),
    Case(
      "never confirms the subscription",
      status: 75,
      words: ["--timeout", "2s", "-t", "high"],
      at({ $0.isMessage("subscribe") }, .ignore)
    ),
    Case(
      "refuses the thinking level",
      status: 1,
      words: ["--timeout", "2s", "-t", "high"],
      {
        $0.isMessage("set_thinking_level") ? .refuse($0.message, error: evil) : .proceed
      }
    ),
    Case(
      "closes with 1001 before the prompt",
      status: 69,
      words: ["--timeout", "2s", "-t", "high"],
      at({ $0.isMessage("subscribe") }, .close(.goingAway, reason: evil))
    ),
  ]

  private static let afterThePrompt = [
    Case(
      "refuses the subscription",
      status: 69,
      prompts: 1,
      { $0.isMessage("subscribe") ? .refuse($0.message, error: evil) : .proceed }
    ),
    Case(
      "refuses the prompt",
      status: 1,
      prompts: 1,
      { $0.isMessage("prompt") ? .refuse($0.message, error: evil) : .proceed }
    ),
    Case(
      "always closes with 1001",
      status: 6,
      prompts: 8,
      at({ $0.isMessage("prompt") }, .close(.goingAway, reason: evil))
    ),
    Case(
      "drops the connection at every prompt",
      status: 6,
      prompts: 8,
      at({ $0.isMessage("prompt") }, .drop)
    ),
    Case("never acknowledges", status: 6, prompts: 1, at({ $0.isMessage("prompt") }, .ignore)),
    Case("masks its frames", status: 6, prompts: 1, afterPrompt([0x81, 0x81, 1, 2, 3, 4, 0x7A])),
    Case("sets a reserved bit", status: 6, prompts: 1, afterPrompt([0xC1, 0x01, 0x7B])),
    Case(
      "announces a frame of 2^62 bytes",
      status: 6,
      prompts: 1,
      afterPrompt([0x81, 127, 0x40, 0, 0, 0, 0, 0, 0, 0])
    ),
    Case("sends invalid UTF-8", status: 6, prompts: 1, afterPrompt(frame(1, [0xC3, 0x28]))),
    Case(
      "sends text that is not JSON",
      status: 6,
      prompts: 1,
      afterPrompt(frame(1, Array("<\u{1B}[2J>".utf8)))
    ),
    Case(
      "pings fifty times",
      status: 0,
      prompts: 1,
      afterPrompt((0..<50).flatMap { frame(9, [UInt8($0)]) }, then: .proceed)
    ),
    Case(
      "sends fragments of 7 bytes",
      status: 0,
      prompts: 1,
      at({ if case .opened = $0 { true } else { false } }, .proceedFragmented(size: 7))
    ),
  ]
}
