// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import WebSocketCodec

@Suite("UTF8Validator")
struct UTF8ValidatorTests {
  static let valid: [[UInt8]] = [
    [],
    Array("plain".utf8),
    Array("Hello-µ@ßöäüàá-UTF-8!! κόσμε 日本語 🙂🇺🇳 and a long tail of plain text".utf8),
    [0x00, 0x7F, 0xEF, 0xBB, 0xBF],
    [0xC2, 0x80, 0xDF, 0xBF],
    [0xE0, 0xA0, 0x80, 0xED, 0x9F, 0xBF, 0xEE, 0x80, 0x80, 0xEF, 0xBF, 0xBF],
    [0xEF, 0xB7, 0x90, 0xEF, 0xBF, 0xBD, 0xF0, 0x9F, 0xBF, 0xBE],
    [0xF0, 0x90, 0x80, 0x80, 0xF4, 0x8F, 0xBF, 0xBF],
  ]

  /// Invalid texts, and the number of bytes after which each is invalid.
  static let invalid: [(bytes: [UInt8], seenAfter: Int)] = [
    ([0x80], 1), ([0xBF], 1), ([0xFF], 1), ([0xFE], 1),
    ([0xC0, 0x80], 1), ([0xC1, 0xBF], 1),
    ([0xE0, 0x9F, 0xBF], 2), ([0xF0, 0x8F, 0xBF, 0xBF], 2),
    ([0xE0, 0x80, 0xAF], 2), ([0xF0, 0x80, 0x80, 0xAF], 2), ([0xF7, 0xBF], 1), ([0xFC, 0x84], 1),
    ([0xED, 0xA0, 0x80], 2), ([0xED, 0xAD, 0xBF], 2), ([0xED, 0xB0, 0x80], 2),
    ([0xED, 0xBF, 0xBF], 2),
    ([0xF4, 0x90, 0x80, 0x80], 2), ([0xF5, 0x80, 0x80, 0x80], 1), ([0xF8, 0x88], 1),
    ([0xC3, 0x28], 2), ([0xE2, 0x82, 0x28], 3), ([0xF0, 0x9F, 0x98, 0x41], 4),
    ([0xC3, 0xC3, 0xA4], 2),
  ]

  /// Whether each piece is accepted, then whether the validator is at a boundary.
  private func verdicts(on pieces: [ArraySlice<UInt8>]) -> [Bool] {
    var validator = UTF8Validator()
    return pieces.map { validator.accept($0) } + [validator.isAtBoundary]
  }

  @Test("valid text is accepted at any cut", arguments: valid)
  func accepts(text: [UInt8]) {
    for cut in 0...text.count {
      #expect(verdicts(on: [text[..<cut], text[cut...]]) == [true, true, true])
    }
  }

  @Test("invalid text is rejected at its first invalid byte", arguments: invalid)
  func refuses(text: [UInt8], seenAfter: Int) {
    // The longer prefix also tests the eight-byte step.
    for prefix in ["", "plain text of some length"] {
      let bytes = Array(prefix.utf8) + text
      let wrong = prefix.utf8.count + seenAfter - 1
      let verdicts = verdicts(on: [bytes[..<wrong], bytes[wrong...wrong]])
      #expect(verdicts.prefix(2) == [true, false])
    }
  }

  @Test("an incomplete character is not at a boundary")
  func incomplete() {
    var validator = UTF8Validator()
    for (byte, isAtBoundary) in [(0xE2, false), (0x82, false), (0xAC, true)] as [(UInt8, Bool)] {
      let isAccepted = validator.accept([byte])
      #expect(isAccepted)
      #expect(validator.isAtBoundary == isAtBoundary)
    }
  }

  @Test(
    "validation agrees with the standard library on random bytes",
    arguments: 1...20 as ClosedRange<UInt64>
  )
  func random(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let pieces: [[UInt8]] = [[0xE2, 0x82, 0xAC], [0x41], [0xC3, 0xA4], [0xF0, 0x9F, 0x99, 0x82]]
    for _ in 0..<200 {
      var bytes = (0..<6).flatMap { _ in pieces.randomElement(using: &generator) ?? [] }
      let index = bytes.indices.randomElement(using: &generator) ?? 0
      bytes[index] = UInt8.random(in: .min ... .max, using: &generator)
      var validator = UTF8Validator()
      let isValid = validator.accept(bytes[...]) && validator.isAtBoundary
      #expect(isValid == (String(validating: bytes, as: UTF8.self) != nil))
    }
  }
}
