// SPDX-License-Identifier: MIT

/// Finds the words that may stand at the end of an unfinished command line.
public enum CompletionEngine {
  /// Returns what may take the place of the last word.
  ///
  /// Mistakes earlier on the line are passed over. Candidates begin with what has been typed, or
  /// differ from it in case where none does.
  ///
  /// - Parameters:
  ///   - words: The words after the program's name; the last one is being typed and may be empty.
  ///   - tool: The table.
  ///   - dynamic: Lists the words of a kind that are known at this moment.
  /// - Returns: The candidates, or what the shell shall complete itself.
  public static func candidates<Context, Output, Globals>(
    words: [String],
    in tool: CommandLineTool<Context, Output, Globals>,
    dynamic: (_ kind: String) -> [CompletionCandidate]
  ) -> CompletionAnswer {
    var scanner = tool.scanner
    for word in words.dropLast() {
      do {
        try scanner.read(word)
      } catch {
        if case .unknownCommand = error.kind { return .candidates([]) }
      }
    }
    return withoutActuallyEscaping(dynamic) { dynamic in
      CompletionSearch(scanner: scanner, typed: words.last ?? "", dynamic: dynamic).answer
    }
  }
}
