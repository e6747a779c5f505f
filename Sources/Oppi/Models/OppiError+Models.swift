// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel

extension OppiError {
  /// A model that its server does not offer, with similar models.
  init(unknownModel id: String, among known: [LanguageModel], of server: String) {
    let close = Suggestions.hint(naming: Self.models(like: id, among: known))
    self.init(
      .noSuchModel,
      "\(server) has no model '\(id.safeLine(limit: 120))'",
      hints: (close.map { [$0] } ?? []) + ["list the models with: oppi models"]
    )
  }

  /// The most models to compare.
  private static let comparedModels = 2000

  /// At most two ids of models whose id, name within the provider, or title resembles or contains
  /// the word.
  private static func models(like word: String, among known: [LanguageModel]) -> [String] {
    let word = word.lettersAndDigits
    guard !word.isEmpty else { return [] }
    let known = known.prefix(Self.comparedModels)
    let spellings: [(LanguageModel) -> String] = [
      { $0.id }, { String($0.id.drop { $0 != "/" }) }, \.name,
    ]
    for spelling in spellings {
      let comparable = known.map { spelling($0).lettersAndDigits }
      let close = Suggestions.closest(to: word, among: comparable)
      let found = zip(known, comparable).filter { close.contains($0.1) }.prefix(2).map(\.0.id)
      if !found.isEmpty { return found }
    }
    return known.filter { $0.id.lettersAndDigits.contains(word) }.prefix(2).map(\.id)
  }
}

extension String {
  /// For comparisons without regard to case and punctuation, as in `gpt5` for `GPT-5`.
  fileprivate var lettersAndDigits: String { lowercased().filter { $0.isLetter || $0.isNumber } }
}
