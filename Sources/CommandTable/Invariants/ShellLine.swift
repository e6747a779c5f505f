// SPDX-License-Identifier: MIT

/// A shell line taken apart into commands and their words.
///
/// Quotation marks and backslashes are removed and nothing is expanded, which is enough for the
/// examples of a manual.
struct ShellLine {
  /// The commands, parted by pipes, redirections and other operators, each a list of words.
  private(set) var commands: [[String]] = [[]]

  /// Takes a line apart.
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
