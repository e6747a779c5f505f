// SPDX-License-Identifier: MIT

import OppiModel
import Testing

/// Choices of a question by their numbers and texts.
@Suite struct OptionNamesTests {
  private static func names(_ labels: String...) -> OptionNames {
    OptionNames(labels.map { UserQuestion.Option(value: $0, label: $0) })
  }

  @Test(
    "a choice has its number and exactly its text",
    arguments: [
      ("1", OptionNames.Match.one(0)), ("3", .one(2)), ("Yes", .one(0)), ("No", .one(1)),
      ("0", .none), ("4", .none), ("-1", .none), ("+1", .none), ("01", .none), ("1 ", .none),
      ("yes", .none), ("Ye", .none), ("Yes ", .none), ("", .none), ("99999999999999999999", .none),
    ]
  )
  func exact(name: String, match: OptionNames.Match) {
    #expect(Self.names("Yes", "No", "Later").match(name) == match)
  }

  @Test("a number that is also the text of another choice is ambiguous")
  func numbers() {
    let names = Self.names("2", "1", "3")
    #expect(names.match("1") == .several && names.match("2") == .several)
    #expect(names.match("3") == .one(2))
    #expect(Self.names("8080", "9090").match("8080") == .one(0))
  }

  @Test("equal choices are one choice, because the server gets the same text")
  func duplicates() {
    let names = Self.names("Yes", "No", "Yes")
    #expect(names.match("Yes") == .one(0) && names.match("3") == .one(2))
  }

  @Test("choices with the same label and different values are ambiguous")
  func labels() {
    let names = OptionNames([
      .init(value: "a", label: "Same"), .init(value: "b", label: "Same"),
      .init(value: "Same", label: "Other"),
    ])
    #expect(names.match("Same") == .several)
    #expect(names.match("a") == .one(0) && names.match("2") == .one(1))
    #expect(names.match("Other") == .one(2))
  }

  @Test("a choice with hidden characters is named as it is shown, and differs from its look-alike")
  func hidden() {
    let names = Self.names("Yes\u{200B}", "Yes", "e\u{301}", "\u{E9}")
    #expect(names.match(#"Yes\u{200B}"#) == .one(0))
    #expect(names.match("Yes") == .one(1) && names.match("Yes\u{200B}") == .one(0))
    // Equal characters of different bytes are different texts for the server.
    #expect(names.match("\u{E9}") == .one(3) && names.match("e\u{301}") == .one(2))
    #expect(names.shown == [#"1 Yes\u{200B}"#, "2 Yes", "3 e\u{301}", "4 \u{E9}"])
  }

  @Test("an empty choice has a number")
  func empty() {
    let names = Self.names("", "x")
    #expect(names.match("") == .one(0) && names.match("1") == .one(0))
    #expect(Self.names().match("1") == .none && Self.names().match("") == .none)
  }
}
