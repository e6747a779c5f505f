// SPDX-License-Identifier: MIT

import Testing

@testable import OppiText

@Suite("Lists that are read element by element")
struct JSONListTests {
  private static func read(_ text: String) throws -> (JSONValue, [JSONValue]) {
    var elements: [JSONValue] = []
    let json = try JSONValue(parsing: Array(text.utf8), list: "all") { elements.append($0) }
    return (json, elements)
  }

  @Test("the elements are passed on, and the rest is kept")
  func elements() throws {
    let (json, elements) = try Self.read(#"{"a":1,"all":[{"x":[1,2]}, "two" ,3],"b":[4]}"#)
    #expect(elements == [["x": [1, 2]], "two", 3])
    #expect(json == ["a": 1, "all": [], "b": [4]])
  }

  @Test(
    "only a list of the whole object counts",
    arguments: [#"{"x":{"all":[1]}}"#, #"{"all":{"all":[1]}}"#, #"[{"all":[1]}]"#, #"{"all":5}"#]
  )
  func others(text: String) throws {
    let (json, elements) = try Self.read(text)
    #expect(elements.isEmpty)
    #expect(try json == JSONValue(parsing: Array(text.utf8)))
  }

  @Test(
    "a list is as strict as elsewhere",
    arguments: [
      #"{"all":[1"#, #"{"all":[1,]}"#, #"{"all":[,1]}"#, #"{"all":[1 2]}"#, #"{"all":[]"#,
      #"{"all":[1]} x"#,
    ]
  )
  func malformed(text: String) {
    #expect(throws: JSONError.self) { _ = try Self.read(text) }
  }

  @Test("the limit of values applies to each element, not to the list")
  func limits() throws {
    let many = Array(repeating: "0", count: 400_000).joined(separator: ",")
    let (_, elements) = try Self.read(#"{"all":[\#(many)]}"#)
    #expect(elements.count == 400_000)
    #expect(throws: JSONError.self) { try JSONValue(parsing: Array("[\(many)]".utf8)) }
    #expect(throws: JSONError.self) { _ = try Self.read(#"{"all":[[\#(many)]]}"#) }
  }

  @Test("no text has more than 300,000 values, however long it is")
  func longest() {
    let element = #"{"name":"\#(String(repeating: "x", count: 100))"}"#
    let list = Array(repeating: element, count: 160_000).joined(separator: ",")
    let error = #expect(throws: JSONError.self) {
      try JSONValue(parsing: Array("[\(list)]".utf8))
    }
    #expect(error?.reason == .tooManyValues)
  }
}
