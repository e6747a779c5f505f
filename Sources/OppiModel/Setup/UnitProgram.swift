// SPDX-License-Identifier: MIT

/// A program's path in a unit of systemd.
package enum UnitProgram {
  /// Whether systemd accepts the path: it refuses quotation marks and backslashes in any form.
  package static func canRun(_ path: String) -> Bool { !path.contains { "\"'\\".contains($0) } }

  /// Returns the path as the word behind `ExecStart=:`, which leaves `$` alone: `%` is doubled, and
  /// the word is in double quotes where it needs them.
  package static func word(_ path: String) -> String {
    let plain = path.replacing("%", with: "%%")
    return path.contains { " ;".contains($0) } ? "\"\(plain)\"" : plain
  }
}
