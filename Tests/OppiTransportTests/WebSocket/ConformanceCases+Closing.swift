// SPDX-License-Identifier: MIT

/// RFC 6455, sections 5.5.1 and 7: close frames.
extension ConformanceCase {
  /// Chapter 7.
  static let closing: [ConformanceCase] = order + payloads + codes

  private static let order: [ConformanceCase] = [
    .init(
      "7.1.1",
      "a close frame after a text",
      [.text("last words"), .close(1000)],
      .closes(1000, telling: ["last words"])
    ),
    .init("7.1.2", "two close frames", [.close(1000), .close(1001)], .closes(1000)),
    .init("7.1.3", "a ping after the close frame", [.close(1000), .ping()], .closes(1000)),
    .init("7.1.4", "a text after the close frame", [.close(1000), .text("late")], .closes(1000)),
    .init(
      "7.1.5",
      "the last fragment after the close frame",
      [.text("one", isFinal: false), .close(1000), .last("two")],
      .closes(1000)
    ),
    .init(
      "7.1.6",
      "a protocol violation after the close frame",
      [.close(1000), .frame(3, reserved: 7)],
      .closes(1000)
    ),
    .init(
      "7.1.7",
      "a close frame after a long text",
      [.text(String(repeating: "*", count: 1 << 18)), .close(1000), .ping()],
      .closes(1000, telling: [String(repeating: "*", count: 1 << 18)])
    ),
  ]

  private static let payloads: [ConformanceCase] = [
    .init("7.2.1", "a close frame without a code", [.frame(8)], .closes(nil)),
    .init("7.2.2", "a close frame with one byte", [.frame(8, [3])], .fails(1002)),
    .init("7.2.3", "a code alone", [.close(1000)], .closes(1000)),
    .init("7.2.4", "a code and a reason", [.close(1001, "bye")], .closes(1001, "bye")),
    .init("7.2.5", "a reason of 123 bytes", [.close(1000, reason)], .closes(1000, reason)),
    .init("7.2.6", "a reason of 124 bytes", [.close(1000, reason + "x")], .fails(1002)),
    .init("7.2.7", "a reason in Greek", [.close(1000, "κόσμε")], .closes(1000, "κόσμε")),
    .init(
      "7.2.8",
      "a reason that is not UTF-8",
      [.frame(8, [3, 0xE8, 0xCE, 0xBA, 0xED, 0xA0, 0x80])],
      .fails(1007)
    ),
    .init("7.2.9", "a truncated reason", [.frame(8, [3, 0xE8, 0xCE])], .fails(1007)),
    .init("7.2.10", "an overlong reason", [.frame(8, length: .announced(65536))], .fails(1002)),
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
