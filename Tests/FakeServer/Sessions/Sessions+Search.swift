// SPDX-License-Identifier: MIT

import OppiModel

extension Sessions {
  /// The sessions whose name or messages contain all words of a text, as search results.
  ///
  /// Without words, all sessions or none.
  func search(_ text: String, _ filter: SessionFilter, listsAll: Bool = false) -> [JSONValue] {
    let words = text.lowercased().split(separator: " ")
    guard !words.isEmpty || listsAll else { return [] }
    return all.values
      .filter(filter.includes)
      .sorted { $0.history.lastActivity > $1.history.lastActivity }
      .compactMap { session in
        let texts = [session.name ?? ""] + session.trace.entries.compactMap(\.["text"].string)
        let whole = texts.joined(separator: " ")
        let folded = whole.lowercased()
        guard words.allSatisfy({ folded.contains($0) }) else { return nil }
        let word = String(words.first ?? "")
        let place = texts.first { $0.lowercased().contains(word) } ?? ""
        return [
          "sessionId": .string(session.id),
          "workspaceId": .string(session.workspace.id),
          "title": .string(String(whole.prefix(80))),
          "snippet": .string(word.isEmpty ? place : place.markingFirst(word)),
          "rank": .double(-1),
          "session": json(session),
        ]
      }
  }
}

extension String {
  /// The text with the first occurrence of a word, ignoring case, in `<b>` tags.
  fileprivate func markingFirst(_ word: String) -> String {
    let folded = lowercased()
    guard let range = folded.firstRange(of: word), folded.count == count else { return self }
    let start = index(
      startIndex,
      offsetBy: folded.distance(from: folded.startIndex, to: range.lowerBound)
    )
    let end = index(start, offsetBy: word.count)
    return "\(self[..<start])<b>\(self[start..<end])</b>\(self[end...])"
  }
}
