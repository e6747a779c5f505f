// SPDX-License-Identifier: MIT

extension StringProtocol {
  /// The text without leading and trailing spaces.
  package var trimmed: String {
    String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }
}
