// SPDX-License-Identifier: MIT

import OppiModel
import Testing

struct JSONObjectTests {
  @Test("a member is set, replaced and removed by its name")
  func setting() {
    var object: JSONObject = ["a": 1, "b": 2]
    object["b"] = 3
    object["c"] = "new"
    object["a"] = nil
    object["never"] = nil
    #expect(object == ["b": 3, "c": "new"])
    #expect(object["a"] == nil && object["c"] == "new")
  }

  @Test("equality ignores the order of members")
  func equality() {
    let object: JSONObject = ["a": 1, "b": ["x": 1, "y": 2]]
    #expect(object == ["b": ["y": 2, "x": 1], "a": 1])
    #expect(object != ["b": ["y": 2, "x": 1]])
    #expect(object != ["a": 1, "b": ["x": 1, "y": 3]])
    #expect(object != ["a": 1, "c": ["x": 1, "y": 2]])
    let many = (0..<3000).map { (key: "name\($0)", value: JSONValue.integer($0)) }
    #expect(JSONObject(many) == JSONObject(many.reversed()))
    #expect(JSONObject(many) != JSONObject(many.dropFirst() + [(key: "name0", value: 1)]))
  }

  @Test(
    "the last of several members with the same name is used",
    arguments: [2, 5, 40, 3000]
  )
  func repeated(count: Int) throws {
    let names = (0..<count).map { "name\($0 % max(1, count / 2))" }
    let members = names.enumerated().map { "\"\($1)\":\($0)" }.joined(separator: ",")
    let object = try #require(JSONValue(parsing: Array("{\(members)}".utf8)).object)
    #expect(object.count == max(1, count / 2))
    for (index, name) in names.enumerated().suffix(object.count) {
      #expect(object[name] == .integer(Int64(index)))
    }
  }

  @Test("members without a value are omitted, and added members replace existing ones")
  func adding() {
    let object: JSONObject = ["a": 1, "b": nil]
    #expect(object.count == 1)
    #expect(object.adding(["a": 2, "c": 3]) == ["a": 2, "c": 3])
  }
}
