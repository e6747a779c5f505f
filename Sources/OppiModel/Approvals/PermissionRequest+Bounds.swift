// SPDX-License-Identifier: MIT

extension PermissionRequest {
  /// What a person decides on is kept whole, up to more than anybody reads.
  private static let inputLimit = 128 << 10
  private static let summaryLimit = 16 << 10
  private static let nameLimit = 200
  private static let reasonLimit = 1024

  /// The request with no more of it than is kept, and whether that is all of what would run.
  var bounded: PermissionRequest {
    var request = self
    request.input = input.bounded(bytes: Self.inputLimit)
    request.tool = tool.head(bytes: Self.nameLimit)
    request.summary = summary.head(bytes: Self.summaryLimit)
    request.reason = reason?.head(bytes: Self.reasonLimit)
    // Where there is no input the summary is all that is known of it.
    let tellsAll = input != .null || request.summary == summary
    request.isWhole = request.input == input && request.tool == tool && tellsAll
    return request
  }

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
