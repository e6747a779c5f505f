// SPDX-License-Identifier: MIT

import HTTPCodec
import OppiText
import Testing

@testable import OppiClient

/// What is sent to a server, and how its answers are read.
@Suite struct ServerRequestTests {
  /// The part of an answer that is wrong; `nil` if it has a value.
  private static func defect<Value>(_ request: ServerRequest<Value>, _ body: String) -> String? {
    do throws(UnusableAnswer) {
      _ = try request.read(200, Array(body.utf8))
      return nil
    } catch {
      guard case .malformed(let what) = error else { return "refused" }
      return what
    }
  }

  @Test("an error status is a refusal with the server's words, whatever the body")
  func refusals() {
    for (body, words) in [(#"{"error":"no"}"#, "no"), (#"{"ok":true}"#, nil), ("", nil)] {
      for status in [199, 300, 401, 404, 500] {
        do throws(UnusableAnswer) {
          try UnusableAnswer.check(status, Array(body.utf8))
          Issue.record("\(status) is no success")
        } catch {
          guard case .refused(let found) = error, found == words else {
            Issue.record("\(error)")
            continue
          }
        }
      }
    }
  }

  @Test(
    "a list with more than 20 000 elements is unusable, and not cut",
    arguments: [
      ("7", 20_000, 20_000), ("7", 20_001, nil), ("true", 20_000, 0), ("{}", 20_001, nil),
    ]
      as [(String, Int, Int?)]
  )
  func longList(element: String, count: Int, read: Int?) {
    let request = ServerRequest<[Int]>.list("numbers", at: "/numbers") { $0.int }
    let elements = Array(repeating: element, count: count).joined(separator: ",")
    let body = #"{"numbers":[\#(elements)]}"#
    #expect(Self.defect(request, body) == (read == nil ? "numbers" : nil))
    #expect((try? request.read(200, Array(body.utf8)))?.count == read)
  }

  @Test(
    "an answer without its list is unusable",
    arguments: [
      ("{}", "numbers"), (#"{"numbers":{}}"#, "numbers"), (#"{"numbers":null}"#, "numbers"),
      (#"{"others":[1]}"#, "numbers"), ("[1]", "JSON"), ("", "JSON"), (#"{"numbers":[1"#, "JSON"),
    ]
  )
  func noList(body: String, what: String) {
    let request = ServerRequest<[Int]>.list("numbers", at: "/numbers") { $0.int }
    #expect(request.http.method == "GET" && request.http.target == "/numbers")
    #expect(Self.defect(request, body) == what)
  }

  @Test(
    "a change is confirmed by true alone",
    arguments: [
      (#"{"ok":true}"#, nil), (#"{"ok":false}"#, "confirmation"), ("{}", "confirmation"),
      (#"{"ok":1}"#, "confirmation"), (#"{"ok":"true"}"#, "confirmation"), ("true", "JSON"),
    ] as [(String, String?)]
  )
  func confirmation(body: String, what: String?) {
    #expect(Self.defect(ServerRequest.call("POST", "/x").confirmed, body) == what)
  }

  @Test("the session of an answer has a valid id")
  func session() {
    let request = ServerRequest.get("/x").session
    #expect(Self.defect(request, #"{"session":{"id":"s"}}"#) == nil)
    for body in [#"{"session":{"id":"a/b"}}"#, #"{"session":{}}"#, #"{"id":"s"}"#] {
      #expect(Self.defect(request, body) == "session", "\(body)")
    }
  }

  @Test("a body is sent as ASCII with its type, and only where there is one")
  func bodies() throws {
    let plain = ServerRequest.call("DELETE", "/x").http
    #expect(plain.method == "DELETE" && plain.target == "/x" && plain.body.isEmpty)
    #expect(plain.headers["Content-Type"] == nil)
    let call = ServerRequest.call("POST", "/x", body: ["text": "é😀"]).http
    #expect(call.headers["Content-Type"] == "application/json")
    #expect(call.body.allSatisfy { $0 < 0x80 })
    #expect(try JSONValue(parsing: call.body) == ["text": "é😀"])
    let file = ServerRequest.put([0, 255], to: "/y").http
    #expect(file.method == "PUT" && file.target == "/y" && file.body == [0, 255])
    #expect(file.headers["Content-Type"] == "application/octet-stream")
  }
}
