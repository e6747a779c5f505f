// SPDX-License-Identifier: MIT

/// Completes the last word of an unfinished command line.
public enum CompletionEngine {
  /// Returns the completions of the last word.
  ///
  /// Mistakes earlier on the line are ignored. Candidates begin with the typed text; if there are
  /// none, case is ignored. The last of `words`, which exclude the program's name, is being typed
  /// and may be empty. `dynamic` lists the current words of a kind, such as identifiers.
  public static func candidates<Context, Output, Globals>(
    words: [String],
    in tool: CommandLineTool<Context, Output, Globals>,
    dynamic: @escaping (_ kind: String) -> [CompletionCandidate]
  ) -> CompletionAnswer {
    var scanner = tool.scanner
    for word in words.dropLast() {
      do {
        try scanner.read(word)
      } catch {
        if case .unknownCommand = error.kind { return .candidates([]) }
      }
    }
    return CompletionSearch(scanner: scanner, typed: words.last ?? "", dynamic: dynamic).answer
  }
}
