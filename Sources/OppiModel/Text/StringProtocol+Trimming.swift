// SPDX-License-Identifier: MIT

extension StringProtocol {
  /// The text without the spaces around it.
  package var trimmed: String {
    String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }
}
