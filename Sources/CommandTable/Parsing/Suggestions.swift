// SPDX-License-Identifier: MIT

/// Names that a mistyped word may have meant.
public enum Suggestions {
  /// Returns the hint that names the closest candidates, or nil when none is close.
  static func hint(for word: String, among candidates: [String]) -> String? {
    hint(naming: closest(to: word, among: candidates))
  }

  /// Returns the hint that asks for one of some names, or nil when there are none.
  public static func hint(naming names: [String]) -> String? {
    names.isEmpty ? nil : "did you mean \(names.map(\.quoted).alternatives)?"
  }

  /// Returns at most two candidates that share the smallest distance, in their own order.
  ///
  /// A word of up to four letters may have one mistake, and one more for every three further
  /// letters. The beginning of a name counts as one mistake.
  public static func closest(to word: String, among candidates: [String]) -> [String] {
    let typed = Array(word.lowercased())
    let letters = typed.drop { $0 == "-" }.count
    guard letters > 0, letters <= 40 else { return [] }
    let limit = 1 + max(letters - 2, 0) / 3
    let ranked = candidates.map { candidate in
      let isBeginning = letters > 1 && candidate.hasPrefix(word)
      return (candidate, isBeginning ? 1 : distance(typed, Array(candidate.lowercased())))
    }
    guard let best = ranked.map(\.1).min(), best <= limit else { return [] }
    return ranked.filter { $0.1 == best }.prefix(2).map(\.0)
  }

  /// Counts the insertions, deletions, replacements and swaps of neighbours that turn one word into
  /// the other.
  ///
  /// This is the optimal string alignment form of the Damerau-Levenshtein distance: no part is
  /// edited twice.
  static func distance(_ a: [Character], _ b: [Character]) -> Int {
    var beforePrevious: [Int] = []
    var previous = Array(0...b.count)
    for i in a.indices {
      var current = [i + 1]
      for j in b.indices {
        let isSame = a[i] == b[j]
        var best = min(previous[j + 1] + 1, current[j] + 1, previous[j] + (isSame ? 0 : 1))
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
          best = min(best, beforePrevious[j - 1] + 1)
        }
        current.append(best)
      }
      (beforePrevious, previous) = (previous, current)
    }
    return previous[b.count]
  }
}
