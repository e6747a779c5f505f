// SPDX-License-Identifier: MIT

extension PermissionRequest {
  /// Tells what would run from anything else, as long as the program runs; never 0.
  package var contentHash: Int {
    var hasher = Hasher()
    hasher.combine(tool)
    hasher.combine(input.text())
    hasher.combine(summary)
    return hasher.finalize() | 1
  }

  /// Whether both are about the same call, so that a word on one holds for the other.
  package func proposesSame(as other: PermissionRequest) -> Bool {
    tool == other.tool && input == other.input && summary == other.summary
      && isWhole == other.isWhole
  }
}
