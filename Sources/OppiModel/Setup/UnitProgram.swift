// SPDX-License-Identifier: MIT

/// A program's path in a systemd unit.
package enum UnitProgram {
  /// Whether systemd accepts the path: it rejects quotation marks and backslashes even if quoted.
  package static func canRun(_ path: String) -> Bool { !path.contains { "\"'\\".contains($0) } }

  /// Returns the path as the word after `ExecStart=:`, which does not expand `$`: `%` is doubled,
  /// and the word is in double quotes if necessary.
  package static func word(_ path: String) -> String {
    let plain = path.replacing("%", with: "%%")
    return path.contains { " ;".contains($0) } ? "\"\(plain)\"" : plain
  }
}
