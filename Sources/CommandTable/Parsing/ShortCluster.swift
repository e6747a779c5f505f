// SPDX-License-Identifier: MIT

/// A word such as `-qv`, `-n5` or `-qn=5` taken apart into short options.
struct ShortCluster {
  /// One letter of the word with the row it stands for.
  struct Item {
    let argument: ArgumentSpec
    let written: String

    /// The rest of the word when the option takes it as its value, without one leading equals sign.
    var value: String?
  }

  /// The options in order; only the last one may have a value.
  private(set) var items: [Item] = []

  /// The first letter that is no option, which makes the word unreadable.
  private(set) var unknown: Character?

  /// Takes a word apart that begins with one hyphen.
  init(_ word: String, among options: [ArgumentSpec]) {
    var rest = word.dropFirst()
    while let letter = rest.popFirst() {
      guard let argument = options.first(where: { $0.short == letter }) else {
        unknown = letter
        return
      }
      var item = Item(argument: argument, written: "-\(letter)")
      // A switch followed by an equals sign keeps the value too, to be told that it takes none.
      let takesRest = !rest.isEmpty && (argument.role == .option || rest.first == "=")
      if takesRest { item.value = String(rest.first == "=" ? rest.dropFirst() : rest) }
      items.append(item)
      if takesRest { return }
    }
  }
}
