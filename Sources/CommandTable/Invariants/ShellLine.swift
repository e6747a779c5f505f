// SPDX-License-Identifier: MIT

/// A shell line split into commands and their words.
///
/// Removes quotation marks and backslashes, and expands nothing: enough for the examples of a
/// manual.
struct ShellLine {
  /// The commands, separated by pipes, redirections and other operators; each is a list of words.
  private(set) var commands: [[String]] = [[]]

  init(_ line: String) {
    var word: String?
    var quote: Character?
    var rest = line[...]
    while let character = rest.popFirst() {
      switch (character, quote) {
      case ("\\", nil), ("\\", "\""):
        word = (word ?? "") + (rest.popFirst().map(String.init) ?? "")
      case (quote, _?):
        quote = nil
      case (_, _?):
        word?.append(character)
      case ("'", _), ("\"", _):
        quote = character
        word = word ?? ""
      case (" ", _):
        finish(&word)
      case _ where "|&;<>".contains(character):
        finish(&word)
        commands.append([])
      case ("#", _) where word == nil:
        rest = ""
      case _:
        word = (word ?? "") + String(character)
      }
    }
    finish(&word)
  }

  private mutating func finish(_ word: inout String?) {
    if let word { commands[commands.count - 1].append(word) }
    word = nil
  }
}
