// SPDX-License-Identifier: MIT

import OppiModel

extension OppiProgram {
  static let version = "0.1.0"

  /// The date of the version, for the manual.
  static let releaseDate = "November 21, 2026"

  /// Describes the program: version, commit and supported dialects.
  ///
  /// - Parameter commit: The commit that the program was built from; `nil` if it is not known.
  /// - Returns: The text.
  static func versionText(commit: String?) -> String {
    let dialects = Dialect.named.reversed().map(\.name).joined(separator: ", ")
    return """
      oppi \(version)
      commit: \(commit ?? "unknown")
      dialects: \(dialects)

      """
  }
}
