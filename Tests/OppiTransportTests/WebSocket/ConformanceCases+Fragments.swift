// SPDX-License-Identifier: MIT

/// RFC 6455, sections 5.4 and 5.5: pings, pongs and fragmented messages.
extension ConformanceCase {
  private static let full = (0..<125).map { UInt8($0) }

  /// Chapter 2.
  static let pings: [ConformanceCase] = [
    .init("2.1", "an empty ping", [.ping()], .goesOn(pongs: [[]])),
    .init("2.2", "a ping with a text", [.ping(hello)], .goesOn(pongs: [hello])),
    .init(
      "2.3",
      "a ping that is not UTF-8",
      [.ping([0, 255, 254])],
      .goesOn(pongs: [[0, 255, 254]])
    ),
    .init("2.4", "a ping of 125 bytes", [.ping(full)], .goesOn(pongs: [full])),
    .init("2.5", "a ping of 126 bytes", [.ping(full + [1])], .fails(1002)),
    .init("2.6", "a ping with a 64-bit length", [Sent(bytes: [0x89, 127])], .fails(1002)),
    .init("2.7", "an unsolicited pong", [.pong()], .goesOn()),
    .init("2.8", "a pong with a payload", [.pong(hello)], .goesOn()),
    .init("2.9", "a pong of 126 bytes", [.pong(full + [1])], .fails(1002)),
    .init("2.10", "a pong, then a ping", [.pong(hello), .ping([1])], .goesOn(pongs: [[1]])),
    .init(
      "2.11",
      "ten pings, answered in order",
      (0..<10).map { .ping([$0]) },
      .goesOn(pongs: (0..<10).map { [$0] })
    ),
    .init(
      "2.12",
      "pings around a text",
      [.ping([1]), .text("text"), .ping([2])],
      .goesOn(["text"], pongs: [[1], [2]])
    ),
  ]

  /// Chapter 5.
  static let fragmentation: [ConformanceCase] =
    brokenControl + whole + interrupted + withoutBeginning + withoutEnd

  private static let brokenControl: [ConformanceCase] = [
    .init("5.1.1", "a fragmented ping", [.frame(9, isFinal: false), .last("")], .fails(1002)),
    .init("5.1.2", "a fragmented pong", [.frame(10, isFinal: false), .last("")], .fails(1002)),
    .init(
      "5.1.3",
      "a fragmented close frame",
      [.frame(8, [3, 0xE8], isFinal: false), .last("")],
      .fails(1002)
    ),
  ]

  private static let whole: [ConformanceCase] = [
    .init(
      "5.2.1",
      "two fragments",
      [.text("one", isFinal: false), .last("two")],
      .goesOn(["onetwo"])
    ),
    .init(
      "5.2.2",
      "one fragment per byte",
      Sent.pieces(of: Array("fragments".utf8), size: 1),
      .goesOn(["fragments"])
    ),
    .init(
      "5.2.3",
      "empty fragments",
      [.text("", isFinal: false), .more(""), .more("x"), .more(""), .last("")],
      .goesOn(["x"])
    ),
    .init(
      "5.2.4",
      "only empty fragments",
      [.text("", isFinal: false), .last("")],
      .goesOn([""])
    ),
    .init(
      "5.2.5",
      "two fragmented messages",
      [.text("a", isFinal: false), .last("b"), .text("c", isFinal: false), .last("d")],
      .goesOn(["ab", "cd"])
    ),
    .init(
      "5.2.6",
      "fragmented binary data that is not UTF-8",
      [.binary([0xFF], isFinal: false), .frame(0, [0xFE]), .text("text")],
      .goesOn(["text"])
    ),
  ]

  private static let interrupted: [ConformanceCase] = [
    .init(
      "5.3.1",
      "a ping between two fragments",
      [.text("one", isFinal: false), .ping(hello), .last("two")],
      .goesOn(["onetwo"], pongs: [hello])
    ),
    .init(
      "5.3.2",
      "pings between many fragments",
      [.text("1", isFinal: false)]
        + (2...9).flatMap { [.ping([UInt8($0)]), .more("\($0)")] } + [.pong(), .last("!")],
      .goesOn(["123456789!"], pongs: (2...9).map { [$0] })
    ),
    .init(
      "5.3.3",
      "a ping in the middle of a character",
      [.frame(1, [0xCE], isFinal: false), .ping([0xFF]), .frame(0, [0xBA])],
      .goesOn(["κ"], pongs: [[0xFF]])
    ),
    .init(
      "5.3.4",
      "an overlong ping between two fragments",
      [.text("one", isFinal: false), .ping(full + [1]), .last("two")],
      .fails(1002)
    ),
  ]

  private static let withoutBeginning: [ConformanceCase] = [
    .init(
      "5.4.1",
      "a final continuation without a message",
      [.last("x"), .text("y")],
      .fails(1002)
    ),
    .init("5.4.2", "a continuation without a message", [.more("x"), .last("y")], .fails(1002)),
    .init("5.4.3", "an empty continuation without a message", [.last("")], .fails(1002)),
    .init(
      "5.4.4",
      "a continuation after a whole text",
      [.text("one"), .last("two")],
      .fails(1002, telling: ["one"])
    ),
    .init(
      "5.4.5",
      "a continuation after the final fragment",
      [.text("one", isFinal: false), .last("two"), .more("three")],
      .fails(1002, telling: ["onetwo"])
    ),
    .init(
      "5.4.6",
      "a continuation after a binary message",
      [.binary([1]), .last("two")],
      .fails(1002)
    ),
  ]

  private static let withoutEnd: [ConformanceCase] = [
    .init(
      "5.5.1",
      "a text within a text",
      [.text("one", isFinal: false), .text("two")],
      .fails(1002)
    ),
    .init(
      "5.5.2",
      "the start of a text within a text",
      [.text("one", isFinal: false), .text("two", isFinal: false), .last("three")],
      .fails(1002)
    ),
    .init(
      "5.5.3",
      "a binary message within a text",
      [.text("one", isFinal: false), .binary([2])],
      .fails(1002)
    ),
    .init(
      "5.5.4",
      "a text within a binary message",
      [.binary([1], isFinal: false), .text("two")],
      .fails(1002)
    ),
    .init(
      "5.5.5",
      "a text within a text after an answered ping",
      [.text("one", isFinal: false), .ping([7]), .more("two"), .text("three")],
      .fails(1002, pongs: [[7]])
    ),
    .init(
      "5.5.6",
      "a close frame within a text",
      [.text("one", isFinal: false), .close(1000), .last("two")],
      .closes(1000)
    ),
  ]
}
