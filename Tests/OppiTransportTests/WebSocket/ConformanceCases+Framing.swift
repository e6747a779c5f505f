// SPDX-License-Identifier: MIT

/// RFC 6455, sections 5.1 and 5.2: lengths, masks, reserved bits, opcodes.
extension ConformanceCase {
  private static let lengths = [0, 1, 125, 126, 127, 128, 65535, 65536, 65537]

  /// Chapter 1.
  static let framing: [ConformanceCase] =
    lengths.enumerated().map { index, length in
      let text = String(repeating: "*", count: length)
      return .init("1.1.\(index + 1)", "\(length) bytes of text", [.text(text)], .goesOn([text]))
    }
    + lengths.enumerated().map { index, length in
      .init(
        "1.2.\(index + 1)",
        "a binary message of \(length) bytes is skipped",
        [.binary([UInt8](repeating: 0xFE, count: length)), .text("text")],
        .goesOn(["text"])
      )
    } + chapter("1.3", lengthForms) + chapter("1.4", masks)

  private static let lengthForms: [Row] = [
    ("5 as two bytes", [.frame(1, hello, length: .twoBytes)], .fails(1002)),
    ("5 as eight bytes", [.frame(1, hello, length: .eightBytes)], .fails(1002)),
    ("all 64 bits", [.frame(1, length: .announced(.max))], .fails(1002)),
  ]

  private static let masks: [Row] = [
    ("a masked text", [.frame(1, hello, mask: [1, 2, 3, 4])], .fails(1002)),
    ("a mask of zeros", [.frame(1, hello, mask: [0, 0, 0, 0])], .fails(1002)),
    ("a masked ping", [.frame(9, mask: [1, 2, 3, 4])], .fails(1002)),
    (
      "a masked frame after a text",
      [.text("first"), .frame(1, hello, mask: [1, 2, 3, 4])], .fails(1002, telling: ["first"])
    ),
  ]

  static let hello = Array("Hello".utf8)

  /// Chapter 3; no extension is negotiated that would define the reserved bits.
  static let reservedBits: [ConformanceCase] =
    (1...7).flatMap { (bits: UInt8) -> [ConformanceCase] in
      [0, 1, 9].map { (opcode: UInt8) in
        .init(
          "3.\(bits).\(opcode)",
          "reserved bits \(bits) in a frame with opcode \(opcode)",
          [.text("first"), .text("one", isFinal: false), .frame(opcode, hello, reserved: bits)],
          .fails(1002, telling: ["first"])
        )
      }
    }

  /// Chapter 4.
  static let opcodes: [ConformanceCase] =
    [3, 4, 5, 6, 7, 11, 12, 13, 14, 15].flatMap { (opcode: UInt8) -> [ConformanceCase] in
      [
        .init("4.\(opcode).1", "opcode \(opcode)", [.frame(opcode)], .fails(1002)),
        .init(
          "4.\(opcode).2",
          "opcode \(opcode) with a payload between a text and a ping",
          [.text("first"), .frame(opcode, hello), .ping()],
          .fails(1002, telling: ["first"])
        ),
        // The first byte is a violation.
        .init(
          "4.\(opcode).3",
          "only the byte with opcode \(opcode)",
          [Sent(bytes: [0x80 | opcode])],
          .fails(1002)
        ),
      ]
    }
}

/// RFC 6455, sections 5.5.1 and 7: close frames.
extension ConformanceCase {
  /// Chapter 7.
  static let closing: [ConformanceCase] =
    chapter("7.1", order) + chapter("7.2", payloads) + codes

  private static let order: [Row] = [
    (
      "a close frame after a text",
      [.text("last words"), .close(1000)], .closes(1000, telling: ["last words"])
    ),
    ("a text after the close frame", [.close(1000), .text("late")], .closes(1000)),
    (
      "the last fragment after the close frame",
      [.text("one", isFinal: false), .close(1000), .last("two")], .closes(1000)
    ),
    (
      "a protocol violation after the close frame",
      [.close(1000), .frame(3, reserved: 7)], .closes(1000)
    ),
    (
      "a close frame after a long text",
      [.text(String(repeating: "*", count: 1 << 18)), .close(1000), .ping()],
      .closes(1000, telling: [String(repeating: "*", count: 1 << 18)])
    ),
  ]

  private static let payloads: [Row] = [
    ("a close frame without a code", [.frame(8)], .closes(nil)),
    ("a close frame with one byte", [.frame(8, [3])], .fails(1002)),
    ("a code and a reason", [.close(1001, "bye")], .closes(1001, "bye")),
    ("a reason of 123 bytes", [.close(1000, reason)], .closes(1000, reason)),
    ("a reason of 124 bytes", [.close(1000, reason + "x")], .fails(1002)),
    ("a reason in Greek", [.close(1000, "κόσμε")], .closes(1000, "κόσμε")),
    (
      "a reason that is not UTF-8",
      [.frame(8, [3, 0xE8, 0xCE, 0xBA, 0xED, 0xA0, 0x80])], .fails(1007)
    ),
    ("an overlong reason", [.frame(8, length: .announced(65536))], .fails(1002)),
  ]

  private static let reason = String(repeating: "*", count: 123)

  /// Section 7.4, and codes registered later.
  private static let codes: [ConformanceCase] =
    [
      1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 3999, 4000,
      4999,
    ].map { (code: UInt16) in
      .init("7.3.\(code)", "the code \(code)", [.close(code)], .closes(code))
    }
    + [
      0, 1, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65535,
    ].map { (code: UInt16) in
      .init("7.4.\(code)", "the invalid code \(code)", [.close(code)], .fails(1002))
    }
}

/// RFC 6455, section 10.4: large and mixed messages.
extension ConformanceCase {
  private static func text(_ count: Int) -> [UInt8] {
    Array(repeatElement(Array("größer ".utf8), count: count / 9 + 1).joined())
  }

  /// Chapter 9.
  static let sizes: [ConformanceCase] = whole + chapter("9.2", tooLarge)

  private static let whole: [ConformanceCase] =
    [1 << 18, 1 << 20, 1 << 22].enumerated().map { index, count in
      let text = text(count)
      return .init("9.1.\(index + 1)", "\(count) bytes", [.frame(1, text)], .goesOn(bytes: [text]))
    }

  private static let limit: UInt64 = 16 << 20

  /// Rejected by the stated length, before the payload arrives.
  private static let tooLarge: [Row] = [
    ("an oversized text", [.frame(1, length: .announced(limit + 1))], .fails(1009)),
    ("a length beyond any memory", [.frame(1, length: .announced(.max >> 1))], .fails(1009)),
    (
      "a text that is oversized with its second fragment",
      [.text("x", isFinal: false), .frame(0, length: .announced(limit))], .fails(1009)
    ),
    (
      "an oversized text after others",
      [.text("one"), .ping([1]), .frame(1, length: .announced(limit + 1))],
      .fails(1009, telling: ["one"], pongs: [[1]])
    ),
  ]

  /// Chapter 10.
  static let mixtures: [Row] = [
    (
      "texts, binary messages, pings and pongs in turn",
      (0..<50).flatMap { index -> [Sent] in
        [.text("\(index)"), .binary([0xFF]), .ping([UInt8(index)]), .pong()]
      },
      .goesOn((0..<50).map { "\($0)" }, pongs: (0..<50).map { [$0] })
    ),
    ("only the close frame", [], .goesOn()),
  ]
}
