// SPDX-License-Identifier: MIT

import Testing

@testable import OppiModel

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
      isError: true,
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
      isError: false,
      isTruncated: false,
      totalBytes: nil
    )
    for kind in [ServerMessage.Kind.toolOutput(output), .messageEnd(role: .assistant, text: text)] {
      let message = ServerMessage(kind)
      #expect(message.pieces == [message])
    }
  }
}
