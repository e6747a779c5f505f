// SPDX-License-Identifier: MIT

/// One occurrence of an argument on a command line.
struct ArgumentMatch: Sendable {
  let argument: ArgumentSpec

  /// The argument's name as the user wrote it, such as `-n`, or the placeholder of a positional.
  let written: String

  /// The value; empty for a switch.
  var text = ""

  /// Parses the value; an error names the argument and the value.
  func value<Value: ArgumentValue>() throws(UsageError) -> Value {
    do {
      return try Value(argument: text)
    } catch {
      throw UsageError(
        .badValue(argument: written, value: text, reason: error.message),
        hint: Suggestions.hint(for: text, among: argument.choices)
      )
    }
  }
}

/// A word such as `--name` or `--name=value`, split.
struct LongOption {
  /// The option as typed, with its hyphens.
  let written: String

  /// The text after the first equals sign; nil if there is none.
  let value: String?

  var name: Substring { written.dropFirst(2) }

  init(_ word: String) {
    // By bytes: a value may begin with a character that combines with the equals sign.
    let equals = word.utf8.firstIndex(of: UInt8(ascii: "="))
    written = equals.map { String(word[..<$0]) } ?? word
    value = equals.map { String(word[word.utf8.index(after: $0)...]) }
  }
}

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
