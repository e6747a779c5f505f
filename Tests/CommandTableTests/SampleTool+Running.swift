// SPDX-License-Identifier: MIT

import CommandTable
import Testing

extension SampleTool {
  /// Runs the work that a line asks for and returns the options it was run with.
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
