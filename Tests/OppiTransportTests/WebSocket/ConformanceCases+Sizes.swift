// SPDX-License-Identifier: MIT

/// RFC 6455, section 10.4: large and mixed messages.
extension ConformanceCase {
  private static func text(_ count: Int) -> [UInt8] {
    Array(repeatElement(Array("größer ".utf8), count: count / 9 + 1).joined())
  }

  /// Chapter 9.
  static let sizes: [ConformanceCase] = whole + inPieces + tooLarge

  private static let whole: [ConformanceCase] =
    [1 << 16, 1 << 18, 1 << 20, 1 << 22].enumerated().flatMap { index, count -> [ConformanceCase] in
      let text = text(count)
      return [
        .init("9.1.\(index + 1)", "\(count) bytes", [.frame(1, text)], .goesOn(bytes: [text])),
        .init(
          "9.2.\(index + 1)",
          "\(count) binary bytes",
          [.binary([UInt8](repeating: 0xFE, count: count)), .text("text")],
          .goesOn(["text"])
        ),
      ]
    }

  private static let inPieces: [ConformanceCase] =
    [64, 256, 1000, 4096, 65536].enumerated().flatMap { index, size -> [ConformanceCase] in
      let text = text(1 << 18)
      return [
        .init(
          "9.3.\(index + 1)",
          "\(text.count) bytes in fragments of \(size)",
          Sent.pieces(of: text, size: size),
          .goesOn(bytes: [text])
        ),
        .init(
          "9.4.\(index + 1)",
          "\(text.count) binary bytes in fragments of \(size)",
          Sent.pieces(2, of: [UInt8](repeating: 0xFE, count: text.count), size: size)
            + [.text("text")],
          .goesOn(["text"])
        ),
      ]
    }

  private static let limit: UInt64 = 16 << 20

  /// Rejected by the stated length, before the payload arrives.
  private static let tooLarge: [ConformanceCase] = [
    .init("9.5.1", "an oversized text", [.frame(1, length: .announced(limit + 1))], .fails(1009)),
    .init(
      "9.5.2",
      "an oversized binary message",
      [.frame(2, length: .announced(limit + 1))],
      .fails(1009)
    ),
    .init(
      "9.5.3",
      "a length beyond any memory",
      [.frame(1, length: .announced(.max >> 1))],
      .fails(1009)
    ),
    .init(
      "9.5.4",
      "a text that is oversized with its second fragment",
      [.text("x", isFinal: false), .frame(0, length: .announced(limit))],
      .fails(1009)
    ),
    .init(
      "9.5.5",
      "an oversized text after others",
      [.text("one"), .ping([1]), .frame(1, length: .announced(limit + 1))],
      .fails(1009, telling: ["one"], pongs: [[1]])
    ),
  ]

  /// Chapter 10.
  static let mixtures: [ConformanceCase] = [
    .init(
      "10.1",
      "a text in fragments of 1300 bytes",
      Sent.pieces(of: text(1 << 16), size: 1300),
      .goesOn(bytes: [text(1 << 16)])
    ),
    .init(
      "10.2",
      "a thousand texts at once",
      (0..<1000).map { .text("text \($0)") },
      .goesOn((0..<1000).map { "text \($0)" })
    ),
    .init(
      "10.3",
      "texts, binary messages, pings and pongs in turn",
      (0..<50).flatMap { index -> [Sent] in
        [.text("\(index)"), .binary([0xFF]), .ping([UInt8(index)]), .pong()]
      },
      .goesOn((0..<50).map { "\($0)" }, pongs: (0..<50).map { [$0] })
    ),
    .init("10.4", "only the close frame", [], .goesOn()),
  ]
}
