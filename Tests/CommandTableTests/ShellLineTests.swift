// SPDX-License-Identifier: MIT

import Testing

@testable import CommandTable

@Suite("Shell lines")
struct ShellLineTests {
  @Test(
    "words and commands are split as a shell does",
    arguments: [
      ("", [[]]),
      ("a  b", [["a", "b"]]),
      ("a 'b c' \"d 'e'\" f'g'\"h\"", [["a", "b c", "d 'e'", "fgh"]]),
      ("a '' \"\"", [["a", "", ""]]),
      ("a b\\ c '\\' \"\\\"\"", [["a", "b c", "\\", "\""]]),
      ("a | b; c > d", [["a"], ["b"], ["c"], ["d"]]),
      ("a 'x | y' # c", [["a", "x | y"]]),
      ("a b#c", [["a", "b#c"]]),
    ]
  )
  func commands(line: String, expected: [[String]]) {
    #expect(ShellLine(line).commands == expected)
  }
}
