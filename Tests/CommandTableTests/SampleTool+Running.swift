// SPDX-License-Identifier: MIT

import CommandTable
import Testing

extension SampleTool {
  /// Runs the command of a line and returns its options.
  static func options<Options>(
    _ words: [String],
    as type: Options.Type = Options.self
  ) async throws -> Options {
    guard case .run(_, _, let work) = try tool.parse(words) else {
      throw ParsedOtherwise()
    }
    let journal = Journal()
    try await work(journal)
    return try #require(await journal.entries.last as? Options)
  }

  private struct ParsedOtherwise: Error {}
}
