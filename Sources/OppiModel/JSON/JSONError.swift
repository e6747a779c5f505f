// SPDX-License-Identifier: MIT

package struct JSONError: Error, Equatable {
  package enum Reason: Sendable, Equatable {
    case unexpectedEnd
    case unexpectedCharacter
    case invalidNumber
    case invalidEscape
    case unterminatedString
    case tooDeep
    /// The values would take far more memory than the text.
    case tooManyValues
    case trailingText
  }

  package let reason: Reason
  /// The line of the first offending byte, counted from 1.
  package let line: Int
  /// The column of that byte, in bytes, counted from 1.
  package let column: Int

  init(_ reason: Reason, at offset: Int, in bytes: [UInt8]) {
    self.reason = reason
    let before = bytes[..<min(offset, bytes.count)]
    line = before.count { $0 == UInt8(ascii: "\n") } + 1
    let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    column = before.count - lineStart + 1
  }
}

extension JSONError: CustomStringConvertible {
  package var description: String {
    let text =
      switch reason {
      case .unexpectedEnd: "unexpected end"
      case .unexpectedCharacter: "unexpected character"
      case .invalidNumber: "invalid number"
      case .invalidEscape: "invalid escape"
      case .unterminatedString: "unterminated string"
      case .tooDeep: "nested too deeply"
      case .tooManyValues: "too many values"
      case .trailingText: "text after the value"
      }
    return "\(text) at line \(line), column \(column)"
  }
}
