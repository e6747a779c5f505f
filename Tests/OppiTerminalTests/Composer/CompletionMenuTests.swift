// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import OppiTerminal

@Suite struct CompletionMenuTests {
  private static func menu(_ names: [String], choosing keys: [Bool] = []) throws -> CompletionMenu {
    var menu = try #require(CompletionMenu(names.map { CompletionMenu.Candidate($0) }))
    for isDown in keys { menu.move(down: isDown) }
    return menu
  }

  @Test("nothing is chosen before an arrow, and Tab takes the first candidate")
  func preferred() throws {
    #expect(CompletionMenu([]) == nil)
    let menu = try Self.menu(["a", "b"])
    #expect(menu.chosen == nil && menu.preferred.text == "a")
  }

  @Test(
    "arrows choose, also from the last candidate to the first",
    arguments: [
      ([true], "a"), ([true, true], "b"), ([true, true, true, true], "a"), ([false], "c"),
      ([true, false], "c"),
    ]
  )
  func arrows(keys: [Bool], chosen: String) throws {
    #expect(try Self.menu(["a", "b", "c"], choosing: keys).chosen?.text == chosen)
  }

  @Test("the choice stays while candidates are added, and is dropped with its candidate")
  func later() throws {
    let menu = try Self.menu(["a", "b"], choosing: [true, true])
    let more = ["x", "a", "b"].map { CompletionMenu.Candidate($0) }
    #expect(CompletionMenu(more, after: menu)?.chosen?.text == "b")
    #expect(CompletionMenu([CompletionMenu.Candidate("a")], after: menu)?.chosen == nil)
  }

  @Test("rows have names, summaries in one column, and the number of hidden candidates")
  func rows() throws {
    let menu = try #require(
      CompletionMenu([
        .init("/help ", name: "/help", summary: "List"), .init("/model ", name: "/model [ID]"),
        .init("/stop", summary: "Stop"),
      ])
    )
    #expect(
      menu.rows(width: 40, limit: 5).map(\.plain) == [
        "  /help        List", "  /model [ID]", "  /stop        Stop",
      ]
    )
    let two = menu.rows(width: 40, limit: 2).map(\.plain)
    #expect(two == ["  /help        List", "  /model [ID]  1 more"])
  }

  @Test("the chosen candidate is visible in any size", arguments: 0..<60)
  func property(seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    let count = Int.random(in: 1...40, using: &generator)
    let names = (0..<count).map { "n\($0)\(String(repeating: "한", count: $0 % 9))" }
    let keys = (0..<Int.random(in: 1...50, using: &generator)).map { _ in
      Bool.random(using: &generator)
    }
    let menu = try Self.menu(names, choosing: keys)
    let width = Int.random(in: 3...60, using: &generator)
    let rows = menu.rows(width: width, limit: Int.random(in: 0...9, using: &generator))
    #expect(rows.count { $0.plain.hasPrefix("▸") } == 1)
    #expect(rows.allSatisfy { DisplayWidth.of($0.plain) <= width })
  }

  @Test(
    "the text before the cursor is completed, but no long or pasted one",
    arguments: [
      ([Key.text("/mo")], "/mo", "/mo"), ([.text("/model a b")], "/model a b", "b"),
      ([.text("see @src"), .left], "see @sr", "@sr"),
      ([.text("a"), .newline, .text("@b")], nil, "@b"),
      ([.text(" ")], " ", ""), ([], nil, ""),
      ([.text(String(repeating: "x", count: 201))], nil, ""),
      ([.paste("one\ntwo"), .text("x")], nil, "x"),
    ] as [([Key], String?, String)]
  )
  func before(keys: [Key], line: String?, word: String) {
    var composer = Composer(foldsPastes: true)
    for key in keys { _ = composer.apply(key) }
    #expect(composer.firstLineBeforeCursor == line)
    #expect(composer.wordBeforeCursor == word)
  }

  @Test("completion replaces the text before the cursor as one step, without control characters")
  func completes() {
    var composer = Composer()
    _ = composer.apply(.text("see @sr now"))
    for _ in 0..<4 { _ = composer.apply(.left) }
    composer.complete(last: 3, with: "@src/\u{07}a.c ")
    #expect(composer.text == "see @src/a.c  now")
    _ = composer.apply(.undo)
    #expect(composer.text == "see @sr now")
  }
}
