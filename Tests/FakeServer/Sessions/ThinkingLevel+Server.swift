// SPDX-License-Identifier: MIT

import OppiModel

extension ThinkingLevel {
  /// The level of servers since 0.42 that clients do not offer.
  private static let max = "max"

  static func isKnown(_ text: String) -> Bool {
    text == max || ThinkingLevel(rawValue: text) != nil
  }
}
