// SPDX-License-Identifier: MIT

/// The output of `systemctl show-environment`: one `NAME=value` per line; a value that a shell
/// would change is written as `$'...'`, with the escapes of C.
package enum ManagerEnvironment {
  /// Returns the variables by name; lines of any other format are skipped.
  package static func variables(in text: String) -> [String: String] {
    var variables: [String: String] = [:]
    for line in text.split(separator: "\n") {
      let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, !parts[0].isEmpty else { continue }
      variables[String(parts[0])] = value(parts[1])
    }
    return variables
  }

  private static func value(_ text: Substring) -> String {
    guard text.hasPrefix("$'"), text.hasSuffix("'"), text.count > 2 else { return String(text) }
    var bytes: [UInt8] = []
    var rest = Array(text.dropFirst(2).dropLast().utf8)[...]
    while let byte = rest.popFirst() {
      bytes.append(byte == UInt8(ascii: "\\") ? escaped(&rest) : byte)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static let letters = [UInt8: UInt8](
    uniqueKeysWithValues: zip("abfnrtv".utf8, [7, 8, 12, 10, 13, 9, 11])
  )

  /// The byte after a backslash: a letter, three octal digits, or the character itself.
  private static func escaped(_ rest: inout ArraySlice<UInt8>) -> UInt8 {
    let octal = rest.prefix(3)
    if octal.count == 3, let value = UInt8(String(decoding: octal, as: UTF8.self), radix: 8) {
      rest = rest.dropFirst(3)
      return value
    }
    let byte = rest.popFirst() ?? UInt8(ascii: "\\")
    return letters[byte] ?? byte
  }
}
