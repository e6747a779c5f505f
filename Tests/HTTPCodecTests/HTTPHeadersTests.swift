// SPDX-License-Identifier: MIT

import HTTPCodec
import Testing

@Suite("HTTPHeaders")
struct HTTPHeadersTests {
  private let headers: HTTPHeaders = [
    "Host": "example", "Accept": "a, b", "X-Empty": "", "accept": " ,c\t,,", "HOST": "other",
  ]

  @Test("lookup ignores case and returns the first value")
  func firstValue() {
    #expect(headers["host"] == "example")
    #expect(headers["hOsT"] == "example")
    #expect(headers["x-empty"] == "")
    #expect(headers["missing"] == nil)
  }

  @Test("the case of letters outside ASCII is not ignored")
  func otherCase() {
    #expect(HTTPHeaders([("\u{212A}eep", "1")])["keep"] == nil)
    #expect(HTTPHeaders([("a^", "1")])["a~"] == nil)
  }

  @Test("lists are split across all fields of a name, without blanks and empty members")
  func lists() {
    #expect(headers.values(of: "ACCEPT") == ["a", "b", "c"])
    #expect(headers.values(of: "x-empty") == [])
    #expect(headers.values(of: "missing") == [])
  }

  @Test("fields keep their order and their case")
  func order() {
    var headers = headers
    headers.append(name: "Z", value: "last")
    #expect(headers.fields.map(\.name) == ["Host", "Accept", "X-Empty", "accept", "HOST", "Z"])
    #expect(headers.fields.last?.value == "last")
  }

  @Test("two lists are equal if all fields are equal")
  func equality() {
    #expect(headers == HTTPHeaders(headers.fields))
    #expect(headers != HTTPHeaders(headers.fields.reversed()))
    #expect(headers != HTTPHeaders(headers.fields.dropLast()))
  }
}
