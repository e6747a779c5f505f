// SPDX-License-Identifier: MIT

/// A word such as `-qv`, `-n5` or `-qn=5`, split into short options.
struct ShortCluster {
  struct Item {
    let argument: ArgumentSpec
    let written: String

    /// The rest of the word if the option takes it as its value, without a leading equals sign.
    var value: String?
  }

  /// The options in order; only the last one can have a value.
  private(set) var items: [Item] = []

  /// The first letter that is not an option; the rest of the word is not read.
  private(set) var unknown: Character?

  init(_ word: String, among options: [ArgumentSpec]) {
    var rest = word.dropFirst()
    while let letter = rest.popFirst() {
      guard let argument = options.first(where: { $0.short == letter }) else {
        unknown = letter
        return
      }
      var item = Item(argument: argument, written: "-\(letter)")
      // A switch before an equals sign also gets the value, so that the caller can reject it.
      let takesRest = !rest.isEmpty && (argument.role == .option || rest.first == "=")
      if takesRest { item.value = String(rest.first == "=" ? rest.dropFirst() : rest) }
      items.append(item)
      if takesRest { return }
    }
  }
}
