// SPDX-License-Identifier: MIT

/// Suggests names for a mistyped word.
public enum Suggestions {
  /// Returns a hint that names the closest candidates; nil if none is close.
  static func hint(for word: String, among candidates: [String]) -> String? {
    hint(naming: closest(to: word, among: candidates))
  }

  /// Returns a hint that asks whether one of the names was meant; nil if there are none.
  public static func hint(naming names: [String]) -> String? {
    names.isEmpty ? nil : "did you mean \(names.map(\.quoted).alternatives)?"
  }

  /// Words by which programs name the same action.
  private static let synonyms: [Set<String>] = [
    ["delete", "remove", "rm", "del", "forget", "drop", "revoke", "clear", "prune", "unset"],
    ["list", "ls", "all"],
    ["show", "get", "view", "cat", "info", "describe", "print"],
    ["add", "new", "create", "make"],
    ["edit", "set", "change", "update", "modify"],
    ["rename", "mv", "move"],
    ["enable", "resume", "on"],
    ["disable", "pause", "off"],
    ["run", "start", "trigger", "flush", "retry", "send"],
    ["test", "check", "ping"],
  ]

  /// Returns at most two candidates that name the same action as a word.
  static func synonyms(of word: String, among candidates: [String]) -> [String] {
    let words = synonyms.first { $0.contains(word.lowercased()) } ?? []
    return Array(candidates.filter(words.contains).prefix(2))
  }

  /// Returns at most two candidates at the smallest distance, in their given order.
  ///
  /// The limit is one mistake in a word of up to four letters, and one more for every three further
  /// letters. A prefix of a name counts as one mistake.
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

  /// Returns the number of insertions, deletions, replacements and swaps of adjacent characters
  /// that turn one word into the other.
  ///
  /// This is the optimal string alignment variant of the Damerau-Levenshtein distance: no substring
  /// is edited twice.
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
