// SPDX-License-Identifier: MIT

import OppiTerminal
import TestSupport
import Testing

@testable import Oppi
@testable import OppiModel
@testable import OppiTestSupport
@testable import OppiText
@testable import OppiWire

/// A reply that lets the agent continue needs the end of the request on the screen of a terminal
/// that draws characters of uncertain width in two columns.
@Suite struct SeenOnTerminalTests {
  /// The end of each request; no other text has these letters.
  private static let end = "ωψχφυ"

  private static let fillers: [Character] = ["☰", "⚠\u{FE0F}", "я"]

  /// A person who reads a request by pages, and confirms.
  private struct Reader {
    var screen: RequestScreen
    /// What the terminal has shown.
    var seen = ""
    private var drawn: Canvas?

    init(_ surface: RequestScreen.Surface, _ size: ScreenSize, _ text: String) throws {
      let members: JSONObject = ["title": .string(text)]
      screen = try RequestScreen(surface, size, command: text, method: "confirm", members)
      look()
    }

    /// Draws the screen on a terminal.
    mutating func look() {
      let (view, size, isChat) = (screen.view, screen.size, screen.surface.isChat)
      guard view.picture != drawn else { return }
      drawn = view.picture
      var terminal = TerminalEmulator(width: size.columns, height: size.rows, widths: .greatest)
      var face: any TerminalSurface = isChat ? LiveRegion() : FullFrame()
      let frame = face.draw(view.picture, cursor: view.cursor, on: size, above: [], limit: .max)
      terminal.feed(frame)
      let layout = screen.console.screen.layout
      let start = isChat ? 0 : layout.detail.column
      for row in 0..<size.rows { seen += terminal.text(row: row, from: start) }
    }

    /// Whether a key lets the agent continue.
    mutating func press(_ key: Key, after pause: Duration) -> Bool {
      defer { look() }
      return screen.press(key, after: pause) == true
    }

    /// Whether the agent may continue after the person has read at most `pages`.
    mutating func reads(pages: Int) -> Bool {
      let keys = Array(repeating: Key.pageDown, count: pages) + [screen.surface.isCall ? "a" : "y"]
      for key in keys where press(key, after: .milliseconds(1100)) { return true }
      return press(.enter, after: .seconds(1))
    }
  }

  @Test(
    "an agent continues only if the terminal has shown the end of the request",
    arguments: RequestScreen.Surface.allCases.filter { $0 != .chatPrefill },
    [(40, 12), (80, 24), (160, 50)]
  )
  func end(surface: RequestScreen.Surface, size: (columns: Int, rows: Int)) throws {
    let size = ScreenSize(columns: size.columns, rows: size.rows)
    for filler in Self.fillers {
      for count in [size.columns - 30, 2 * size.columns] {
        let line = "lint \(String(repeating: filler, count: count)); rm -rf ~/src \(Self.end)"
        for pages in [0, 15] {
          var reader = try Reader(surface, size, "Run the linter?\n\(line)")
          let continues = reader.reads(pages: pages)
          let isSeen = Self.end.allSatisfy(reader.seen.contains)
          #expect(!continues || isSeen, "\(filler), \(count), \(pages) pages")
          #expect(continues || pages == 0, "\(filler), \(count): never")
        }
      }
    }
  }
}
