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
  enum Surface: CaseIterable {
    case chatCall
    case chatDialog
    case consoleCall
    case consoleDialog
    case batchCall
    case batchDialog

    var isDialog: Bool { [.chatDialog, .consoleDialog, .batchDialog].contains(self) }
    var isChat: Bool { self == .chatCall || self == .chatDialog }
    var isBatch: Bool { self == .batchCall || self == .batchDialog }
  }

  /// The end of each request; no other text has these letters.
  private static let end = "ωψχφυ"

  private static let fillers: [Character] = ["☰", "⚠\u{FE0F}", "я"]

  /// A person who reads a request by pages, and confirms.
  private struct Reader {
    let surface: Surface
    let size: ScreenSize
    var chat: ChatDesk
    var console: ConsoleDesk
    /// What the terminal has shown.
    var seen = ""
    private var drawn: [StyledText] = []

    init(_ surface: Surface, _ size: ScreenSize, _ text: String) throws {
      (self.surface, self.size) = (surface, size)
      chat = ChatDesk(columns: size.columns, rows: size.rows, requests: .dialogs)
      console = surface.isBatch ? .batch() : ConsoleDesk()
      let body: JSONValue = [
        "type": "extension_ui_request", "id": "q", "sessionId": "S", "method": "confirm",
        "title": .string(text),
      ]
      guard surface.isChat else {
        console.resize(columns: size.columns, rows: size.rows)
        let question = UserQuestion(id: "q", method: "confirm", body: body)
        if !surface.isBatch { console.press("2") }
        console.answer([
          surface.isDialog
            ? ConsoleDesk.listed(.question(question)) : ConsoleDesk.request("q", text)
        ])
        console.press(.down, .enter)
        look()
        return
      }
      _ = try chat.connect("busy")
      try chat.begin()
      if surface.isDialog { _ = try chat.receive(body) } else { try chat.ask(command: text) }
      look()
    }

    /// Draws the screen on a terminal.
    mutating func look() {
      let block =
        surface.isChat
        ? chat.screen.view(at: Timestamp(milliseconds: 0), frame: 0) : console.block
      guard block.lines != drawn else { return }
      drawn = block.lines
      var terminal = TerminalEmulator(width: size.columns, height: size.rows, widths: .greatest)
      var face: any TerminalSurface = surface.isChat ? LiveRegion() : FullFrame()
      let lines = block.lines.map(Theme.ansi.render)
      terminal.feed(
        face.draw(lines, width: size.columns, height: size.rows, cursor: block.cursor, above: [])
      )
      let layout = console.screen.layout
      let start = surface.isChat || !layout.isSplit ? 0 : size.columns - layout.detail.columns
      for row in 0..<size.rows { seen += terminal.text(row: row, from: start) }
    }

    /// Whether a key lets the agent continue.
    mutating func press(_ key: Key, after pause: Duration) -> Bool {
      defer { look() }
      guard surface.isChat else {
        let effects = console.press(key, after: pause)
        for case .reply(let reply, _, _) in effects { return !reply.isRefusal }
        return console.mark("q").map { $0 != "deny" } ?? false
      }
      let effects = chat.press(key, after: pause)
      return effects.decisions.contains { $0 != .deny }
        || effects.answers.contains { !$0.isRefusal }
    }

    /// Whether the agent may continue after the person has read at most `pages`.
    mutating func reads(pages: Int) -> Bool {
      let keys = Array(repeating: Key.pageDown, count: pages)
      for key in keys + [surface.isDialog ? "y" : "a"] where press(key, after: .milliseconds(1100))
      {
        return true
      }
      return press(.enter, after: .seconds(1))
    }
  }

  @Test(
    "an agent continues only if the terminal has shown the end of the request",
    arguments: Surface.allCases,
    [(40, 12), (80, 24), (160, 50)]
  )
  func end(surface: Surface, size: (columns: Int, rows: Int)) throws {
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
