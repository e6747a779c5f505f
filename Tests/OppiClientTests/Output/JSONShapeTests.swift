// SPDX-License-Identifier: MIT

import CommandTable
import OppiText
import Testing

@testable import OppiClient

@Suite struct JSONShapeTests {
  private static let inner: JSONShape<Int> = [
    .member("number", "The number") { .integer(Int64($0)) },
    .member("odd", "True where it is") { $0.isMultiple(of: 2) ? nil : true },
  ]

  private static let outer: JSONShape<[Int]> = [
    .object("first", "The first one", inner) { $0.first },
    .list("all", "All of them", inner) { $0 },
  ]

  @Test("an object is created from the rows, without members that have no value")
  func document() {
    #expect(
      Self.outer.document(of: [1, 2])
        == [
          "first": ["number": 1, "odd": true],
          "all": [["number": 1, "odd": true], ["number": 2]],
        ]
    )
    #expect(Self.outer.document(of: []) == ["all": []])
  }

  @Test("the rows of inner objects are listed with their paths")
  func rows() {
    #expect(
      Self.outer.rows.map(\.term) == [
        "first", "first.number", "first.odd", "all", "all[].number", "all[].odd",
      ]
    )
    #expect(Self.outer.rows.last == HelpRow("all[].odd", "True where it is"))
  }
}
