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
    } + lengthForms + masks

  private static let lengthForms: [ConformanceCase] = [
    .init("1.3.1", "5 as two bytes", [.frame(1, hello, length: .twoBytes)], .fails(1002)),
    .init("1.3.2", "5 as eight bytes", [.frame(1, hello, length: .eightBytes)], .fails(1002)),
    .init(
      "1.3.3",
      "300 as eight bytes",
      [.frame(1, Array(repeating: 0x2A, count: 300), length: .eightBytes)],
      .fails(1002)
    ),
    .init("1.3.4", "64 bits", [.frame(1, length: .announced(1 << 63))], .fails(1002)),
    .init("1.3.5", "all 64 bits", [.frame(1, length: .announced(.max))], .fails(1002)),
  ]

  private static let masks: [ConformanceCase] = [
    .init("1.4.1", "a masked text", [.frame(1, hello, mask: [1, 2, 3, 4])], .fails(1002)),
    .init("1.4.2", "a mask of zeros", [.frame(1, hello, mask: [0, 0, 0, 0])], .fails(1002)),
    .init("1.4.3", "a masked ping", [.frame(9, mask: [1, 2, 3, 4])], .fails(1002)),
    .init("1.4.4", "a masked close frame", [.frame(8, mask: [1, 2, 3, 4])], .fails(1002)),
    .init(
      "1.4.5",
      "a masked frame after a text",
      [.text("first"), .frame(1, hello, mask: [1, 2, 3, 4])],
      .fails(1002, telling: ["first"])
    ),
  ]

  static let hello = Array("Hello".utf8)

  /// Chapter 3; no extension is negotiated that would define the reserved bits.
  static let reservedBits: [ConformanceCase] =
    (1...7).flatMap { (bits: UInt8) -> [ConformanceCase] in
      [1, 2, 8, 9, 10].map { (opcode: UInt8) in
        .init(
          "3.\(bits).\(opcode)",
          "reserved bits \(bits) in a frame with opcode \(opcode)",
          [.text("first"), .frame(opcode, reserved: bits), .ping()],
          .fails(1002, telling: ["first"])
        )
      } + [
        .init(
          "3.\(bits).11",
          "reserved bits \(bits) in the second fragment of a text",
          [.text("one", isFinal: false), .frame(0, hello, reserved: bits)],
          .fails(1002)
        )
      ]
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
        .init(
          "4.\(opcode).3",
          "opcode \(opcode) between two fragments of a text",
          [.text("one", isFinal: false), .frame(opcode), .last("two")],
          .fails(1002)
        ),
        // The first byte is a violation.
        .init(
          "4.\(opcode).4",
          "only the byte with opcode \(opcode)",
          [Sent(bytes: [0x80 | opcode])],
          .fails(1002)
        ),
      ]
    }
}
