// SPDX-License-Identifier: MIT

import OppiSystem
import Testing

@testable import Oppi
@testable import OppiModel

/// The menu for the decision on a request.
@Suite struct ApprovalMenuTests {
  @Test("a row of the call with the text of a decision decides nothing")
  func deceiving() throws {
    let menu = ApprovalMenu(
      try Self.row(#"{"command":"Approve once\nDeny\n| Deny"}"#),
      in: MenuSight(columns: 56, rows: 15)
    )
    let texts = menu.menu.rows.map(\.text)
    #expect(texts.count { $0.hasPrefix("|   ") } == 3, "\(texts)")
    for (index, text) in texts.enumerated() where text.hasPrefix("|") {
      #expect(menu.reply(at: index) == nil, "\(text)")
    }
    for (text, reply) in [
      ("Deny", RequestReply.decision(.deny)), ("Approve once", .decision(.allow)),
    ] {
      #expect(texts.count { $0.trimmed == text } == 1)
      let index = try #require(menu.menu.index(of: text, in: .row))
      #expect(menu.reply(at: index) == reply, "\(texts)")
    }
    #expect(menu.reply(at: 0) == nil && menu.reply(at: texts.count) == nil)
  }

  @Test("approval is offered only if the whole call is visible")
  func sight() throws {
    func isOffered(_ input: String, _ sight: MenuSight?) throws -> Bool {
      let texts = ApprovalMenu(try Self.row(input), in: sight).menu.rows.map(\.text)
      #expect(texts.first?.hasPrefix("Open") == true && texts.contains("Deny"))
      return texts.contains("Approve once")
    }
    let sight = MenuSight(columns: 56, rows: 15)
    #expect(try isOffered(#"{"command":"make  install"}"#, sight))
    #expect(try !isOffered(#"{"command":"make  install"}"#, nil))
    #expect(try isOffered(#"{"command":"make  install"}"#, MenuSight(columns: 56, rows: 7)))
    #expect(try !isOffered(#"{"command":"make  install"}"#, MenuSight(columns: 56, rows: 6)))
    #expect(try !isOffered(#"{"command":"make  install"}"#, MenuSight(columns: 1, rows: 15)))
    #expect(try !isOffered(#"{"command":"a\nb\nc\nd"}"#, sight))
    #expect(try !isOffered(#"{"command":"echo \u202Eabc"}"#, sight))
    #expect(try !isOffered(#"{"command":"rm -rf /"}"#, sight))
  }

  private static func row(_ input: String) throws -> ListedRequest {
    let json = try JSONValue(parsing: Array(#"{"id":"r","tool":"bash","input":\#(input)}"#.utf8))
    let request = try #require(PermissionRequest(json: json))
    let id = try #require(Fingerprint("sha256:" + String(repeating: "A", count: 43)))
    return ListedRequest(
      .permission(request),
      of: id,
      at: RequestPlace(server: "studio", sessionID: nil),
      listedAt: Timestamp(milliseconds: 0)
    )
  }
}
