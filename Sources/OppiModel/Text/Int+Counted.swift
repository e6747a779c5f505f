// SPDX-License-Identifier: MIT

extension Int {
  /// The number with a noun that has a regular plural: `1 image`, `2 images`.
  package func counted(_ noun: String) -> String { "\(self) \(noun)\(self == 1 ? "" : "s")" }
}
