// SPDX-License-Identifier: MIT

/// The names of a question's choices: their numbers from 1, their values and their labels.
package struct OptionNames: Sendable {
  package enum Match: Sendable, Equatable {
    case none
    /// The place of the choice; of equal choices, the first.
    case one(Int)
    case several
  }

  private let options: [UserQuestion.Option]

  package init(_ options: [UserQuestion.Option]) {
    self.options = options
  }

  /// Finds the choice that has exactly this name.
  ///
  /// A label is also matched as it is shown, with escapes for hidden characters. A name for choices
  /// with different values is ambiguous.
  package func match(_ name: String) -> Match {
    var places = options.indices.filter { place in
      let option = options[place]
      return option.value.isSame(as: name) || option.label.isSame(as: name)
        || RevealedText(option.label).line.isSame(as: name)
    }
    if let number = Int(name), options.indices.contains(number - 1), name == String(number) {
      places.append(number - 1)
    }
    guard let first = places.min() else { return .none }
    let value = options[first].value
    return places.allSatisfy { options[$0].value.isSame(as: value) } ? .one(first) : .several
  }

  /// The numbered choices, safe to show.
  package var shown: [String] {
    options.enumerated().map { "\($0 + 1) \(RevealedText($1.label).line)".safeLine(limit: 80) }
  }
}

extension String {
  /// Whether both have the same bytes: the server compares no characters that only look the same.
  fileprivate func isSame(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
