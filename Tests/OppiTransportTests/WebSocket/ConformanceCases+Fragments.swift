// SPDX-License-Identifier: MIT

/// RFC 6455, sections 5.4 and 5.5: pings, pongs and fragmented messages.
extension ConformanceCase {
  private static let full = (0..<125).map { UInt8($0) }

  /// Chapter 2.
  static let pings: [Row] = [
    ("an empty ping", [.ping()], .goesOn(pongs: [[]])),
    ("a ping that is not UTF-8", [.ping([0, 255, 254])], .goesOn(pongs: [[0, 255, 254]])),
    ("a ping of 125 bytes", [.ping(full)], .goesOn(pongs: [full])),
    ("a ping of 126 bytes", [.ping(full + [1])], .fails(1002)),
    ("a ping with a 64-bit length", [Sent(bytes: [0x89, 127])], .fails(1002)),
    ("a pong of 126 bytes", [.pong(full + [1])], .fails(1002)),
    ("a pong, then a ping", [.pong(hello), .ping([1])], .goesOn(pongs: [[1]])),
    (
      "pings around a text",
      [.ping([1]), .text("text"), .ping([2])], .goesOn(["text"], pongs: [[1], [2]])
    ),
  ]

  /// Chapter 5.
  static let fragmentation: [ConformanceCase] =
    chapter("5.1", brokenControl) + chapter("5.2", whole) + chapter("5.3", interrupted)
    + chapter("5.4", withoutBeginning) + chapter("5.5", withoutEnd)

  private static let brokenControl: [Row] = [
    ("a fragmented ping", [.frame(9, isFinal: false), .last("")], .fails(1002)),
    ("a fragmented pong", [.frame(10, isFinal: false), .last("")], .fails(1002)),
    ("a fragmented close frame", [.frame(8, [3, 0xE8], isFinal: false), .last("")], .fails(1002)),
  ]

  private static let whole: [Row] = [
    (
      "one fragment per byte",
      Sent.pieces(of: Array("fragments".utf8), size: 1), .goesOn(["fragments"])
    ),
    (
      "empty fragments",
      [.text("", isFinal: false), .more(""), .more("x"), .more(""), .last("")], .goesOn(["x"])
    ),
    (
      "two fragmented messages",
      [.text("a", isFinal: false), .last("b"), .text("c", isFinal: false), .last("d")],
      .goesOn(["ab", "cd"])
    ),
    (
      "fragmented binary data that is not UTF-8",
      [.binary([0xFF], isFinal: false), .frame(0, [0xFE]), .text("text")], .goesOn(["text"])
    ),
  ]

  private static let interrupted: [Row] = [
    (
      "pings between many fragments",
      [.text("1", isFinal: false)]
        + (2...9).flatMap { [.ping([UInt8($0)]), .more("\($0)")] } + [.pong(), .last("!")],
      .goesOn(["123456789!"], pongs: (2...9).map { [$0] })
    ),
    (
      "a ping in the middle of a character",
      [.frame(1, [0xCE], isFinal: false), .ping([0xFF]), .frame(0, [0xBA])],
      .goesOn(["κ"], pongs: [[0xFF]])
    ),
  ]

  private static let withoutBeginning: [Row] = [
    ("a final continuation without a message", [.last("x"), .text("y")], .fails(1002)),
    (
      "a continuation after the final fragment",
      [.text("one", isFinal: false), .last("two"), .more("three")],
      .fails(1002, telling: ["onetwo"])
    ),
    ("a continuation after a binary message", [.binary([1]), .last("two")], .fails(1002)),
  ]

  private static let withoutEnd: [Row] = [
    ("a binary message within a text", [.text("one", isFinal: false), .binary([2])], .fails(1002)),
    ("a text within a binary message", [.binary([1], isFinal: false), .text("two")], .fails(1002)),
    (
      "a text within a text after an answered ping",
      [.text("one", isFinal: false), .ping([7]), .more("two"), .text("three")],
      .fails(1002, pongs: [[7]])
    ),
    (
      "a close frame within a text",
      [.text("one", isFinal: false), .close(1000), .last("two")], .closes(1000)
    ),
  ]
}
