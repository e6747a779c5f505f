// SPDX-License-Identifier: MIT

import CommandTable
import Testing

@Suite("Argument values")
struct ArgumentValueTests {
  @Test(
    "a duration is a number with a unit",
    arguments: [
      ("500ms", .milliseconds(500)), ("5s", .seconds(5)), ("10m", .seconds(600)),
      ("2h", .seconds(7200)), ("7", .seconds(7)), ("1.5s", .milliseconds(1500)),
      ("0.25", .milliseconds(250)), (".5h", .seconds(1800)), ("0", .zero), ("0s", .zero),
      ("1.0004s", .milliseconds(1000)), ("8760h", .seconds(31_536_000)),
      ("7d", .seconds(604_800)), ("0.5d", .seconds(43_200)), ("365d", .seconds(31_536_000)),
    ] as [(String, Duration)]
  )
  func duration(text: String, expected: Duration) throws {
    #expect(try Duration(argument: text) == expected)
  }

  @Test(
    "an invalid duration is rejected",
    arguments: [
      "", "s", "ms", "-5s", "+5s", "5 s", " 5s", "5S", "5D", "5w", "5sec", "1e3", "0x10", "inf",
      "nan",
      "1.2.3s", ".", ".s", "5s5", "٣s",
    ]
  )
  func noDuration(text: String) {
    let error = #expect(throws: ArgumentValueError.self) { try Duration(argument: text) }
    #expect(error?.message == "expects a duration such as 500ms, 5s, 10m, 2h or 7d")
  }

  @Test(
    "a duration of more than a year is rejected",
    arguments: ["8761h", "366d", "31536001", String(repeating: "9", count: 400)]
  )
  func absurdDuration(text: String) {
    let error = #expect(throws: ArgumentValueError.self) { try Duration(argument: text) }
    #expect(error?.message == "expects at most 8760h")
  }

  @Test(
    "a duration is printed in the longest unit that divides it",
    arguments: [
      (.zero, "0s"), (.milliseconds(500), "500ms"), (.milliseconds(1500), "1500ms"),
      (.seconds(10), "10s"), (.seconds(90), "90s"), (.seconds(600), "10m"),
      (.seconds(7200), "2h"), (.seconds(86_400), "24h"),
    ] as [(Duration, String)]
  )
  func durationText(duration: Duration, expected: String) throws {
    #expect(duration.argumentText == expected)
    #expect(try Duration(argument: expected) == duration)
  }

  @Test(
    "a whole number is decimal",
    arguments: [("0", 0), ("-3", -3), ("+4", 4), ("007", 7)]
  )
  func int(text: String, expected: Int) throws {
    #expect(try Int(argument: text) == expected)
  }

  @Test(
    "an invalid whole number is rejected",
    arguments: ["", "ten", "1.5", "1_000", "0x1", " 1", "9999999999999999999"]
  )
  func noInt(text: String) {
    #expect(throws: ArgumentValueError("expects a whole number")) { try Int(argument: text) }
  }

  @Test("an enumeration of strings gets its choices from its cases")
  func choice() throws {
    #expect(SampleColor.placeholder == "auto|always|never")
    #expect(SampleColor.choices == ["auto", "always", "never"])
    #expect(SampleColor.never.argumentText == "never")
    #expect(try SampleColor(argument: "never") == .never)
    #expect(throws: ArgumentValueError("expects auto, always or never")) {
      try SampleColor(argument: "Never")
    }
  }

  @Test("a value that is not listed in help is accepted")
  func hiddenChoice() throws {
    #expect(SampleLevel.placeholder == "low|medium|high")
    #expect(try SampleLevel(argument: "minimal") == .minimal)
    #expect(throws: ArgumentValueError("expects low, medium or high")) {
      try SampleLevel(argument: "max")
    }
  }

  @Test("text is unchanged, and an empty default is not shown")
  func text() {
    #expect(String(argument: " a\n") == " a\n")
    #expect("".argumentText == nil)
    #expect("home".argumentText == "home")
  }
}
