// SPDX-License-Identifier: MIT

extension PermissionRequest {
  /// Identifies the content of a call within this process; never 0.
  package var contentHash: Int {
    var hasher = Hasher()
    hasher.combine(tool)
    hasher.combine(input.text())
    hasher.combine(summary)
    return hasher.finalize() | 1
  }

  /// Whether both requests are about the same call, so that a decision on one applies to the other.
  package func proposesSame(as other: PermissionRequest) -> Bool {
    tool == other.tool && input == other.input && summary == other.summary
      && isWhole == other.isWhole
  }
}
