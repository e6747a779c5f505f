// SPDX-License-Identifier: MIT

import Testing

@testable import HTTPCodec

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
}

@Suite("InputBuffer")
struct InputBufferTests {
  private func line(_ input: inout InputBuffer) throws -> String? {
    let line = try input.takeLine(atMost: 10, orThrow: .headTooLarge)
    return line.map { String(decoding: $0, as: UTF8.self) }
  }

  @Test("lines and bytes keep their order")
  func order() throws {
    var input = InputBuffer()
    input.append(Array("one\ntw".utf8))
    #expect(try line(&input) == "one\n")
    #expect(try line(&input) == nil)
    input.append(Array("o\nthree\n".utf8))
    #expect(try line(&input) == "two\n")
    let bytes = input.take(atMost: 3)
    #expect(bytes.elementsEqual("thr".utf8))
    #expect(try line(&input) == "ee\n")
    #expect(input.unread.isEmpty)
  }

  @Test("taking bytes does not hide the next line end from the search")
  func searched() throws {
    var input = InputBuffer()
    input.append(Array("ab".utf8))
    #expect(try line(&input) == nil)
    let bytes = input.take(atMost: 1)
    #expect(bytes.elementsEqual("a".utf8))
    input.append(Array("\n\n".utf8))
    #expect(try line(&input) == "b\n")
    #expect(try line(&input) == "\n")
  }

  @Test("read bytes are discarded")
  func bounded() throws {
    var input = InputBuffer()
    input.append(Array("a".utf8))
    for _ in 0..<1000 {
      // One byte is always unread.
      input.append(Array("b\na".utf8))
      #expect(try line(&input) == "ab\n")
      #expect(input.unread.endIndex < 20)
    }
  }
}
