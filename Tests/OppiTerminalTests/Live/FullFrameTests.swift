// SPDX-License-Identifier: MIT

import OppiTerminal
import TestSupport
import Testing

@Suite("FullFrame")
struct FullFrameTests {
  private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  private func entered(_ lines: [StyledText] = ["one", "two"]) -> (FullFrame, TerminalEmulator) {
    var frame = FullFrame()
    var terminal = TerminalEmulator(width: 20, height: 4)
    terminal.feed(Array("before\r\n".utf8))
    terminal.feed(frame.draw(lines, width: 20, height: 4, cursor: nil))
    return (frame, terminal)
  }

  @Test("the first frame enters the alternate screen and hides the cursor")
  func first() {
    let (_, terminal) = entered()
    #expect(terminal.isAlternate && !terminal.isCursorShown)
    #expect(terminal.lines == ["one", "two"])
    #expect(terminal.unknown == [] && terminal.wraps && !terminal.isUpdating)
  }

  @Test("only cells that differ are written, and an unchanged frame writes nothing")
  func changes() {
    var (frame, _) = entered(["one", "two", "three"])
    #expect(frame.draw(["one", "two", "three"], width: 20, height: 4, cursor: nil).isEmpty)
    let bytes = text(frame.draw(["one", "2", "three"], width: 20, height: 4, cursor: nil))
    #expect(bytes.contains("\u{1B}[2;1H\u{1B}[K2"))
    #expect(!bytes.contains("one") && !bytes.contains("three"))
  }

  @Test("no frame clears the whole screen")
  func neverClears() {
    var (frame, _) = entered()
    frame.invalidate()
    let bytes = text(frame.draw(["one"], width: 20, height: 4, cursor: nil))
    #expect(bytes.contains("one") && !bytes.contains("J"))
  }

  @Test("the cursor stands where the frame says, within the screen")
  func cursor() {
    var (frame, terminal) = entered()
    terminal.feed(frame.draw(["one", "two"], width: 20, height: 4, cursor: (1, 2)))
    #expect(terminal.cursor == (1, 2) && terminal.isCursorShown)
    terminal.feed(frame.draw(["one", "two"], width: 20, height: 4, cursor: (9, 99)))
    #expect(terminal.cursor == (3, 19))
    terminal.feed(frame.draw(["one", "two"], width: 20, height: 4, cursor: (-1, -1)))
    #expect(terminal.cursor == (0, 0))
  }

  @Test("a hidden cursor stands in its place")
  func hiddenCursor() {
    var (frame, terminal) = entered()
    for (row, isShown) in [(1, true), (0, false), (0, true), (1, false)] {
      let cursor = Cursor(row: row, column: 2, isShown: isShown)
      let picture = Canvas(["one", "two"], width: 20)
      terminal.feed(frame.draw(picture, cursor: cursor, on: ScreenSize(columns: 20, rows: 4)))
      #expect(terminal.cursor == (row, 2) && terminal.isCursorShown == isShown)
    }
  }

  @Test("another theme draws everything again")
  func theme() {
    var (frame, _) = entered()
    frame.theme = .plain
    #expect(frame.draw(["one", "two"], width: 20, height: 4).isEmpty)
    frame.theme = .standard
    #expect(text(frame.draw(["one", "two"], width: 20, height: 4)).contains("one"))
  }

  @Test(
    "within a limit, the rows next to the cursor come first, and the others with the next calls"
  )
  func limit() {
    var (frame, terminal) = entered(["1", "2", "3", "4"])
    let pictures: [[StyledText]] = [["a", "b", "c", "d"], ["A", "b", "c", "D"]]
    var seen: [[String]] = []
    // The second picture replaces the first one, of which two rows are drawn.
    for picture in [pictures[0], pictures[0], pictures[1], pictures[1]] {
      let bytes = frame.draw(picture, width: 20, height: 4, cursor: (2, 0), limit: 1)
      terminal.feed(bytes)
      seen.append(terminal.lines)
      #expect(frame.isComplete == (seen.count == 4) && !terminal.isUpdating)
    }
    let first = [["1", "2", "c", "4"], ["1", "b", "c", "4"]]
    #expect(seen == first + [["1", "b", "c", "D"], ["A", "b", "c", "D"]])
    #expect(frame.draw(pictures[1], width: 20, height: 4, cursor: (2, 0), limit: 1).isEmpty)
  }

  @Test("a picture that is drawn again in parts is complete after its last row")
  func limitAfterInvalidation() {
    var (frame, terminal) = entered(["1", "2", "3", "4"])
    frame.invalidate()
    for count in 1...4 {
      terminal.feed(frame.draw(["1", "2", "3", "4"], width: 20, height: 4, limit: 1))
      #expect(frame.isComplete == (count == 4))
    }
  }

  @Test("after a change of the width alone, every row is written again")
  func width() {
    var (frame, _) = entered(["one", "two"])
    let bytes = text(frame.draw(["one", "two"], width: 10, height: 4))
    #expect(bytes.contains("one") && bytes.contains("two"))
  }

  @Test("rows that are gone are blank, and rows below the screen are not drawn")
  func height() {
    var (frame, terminal) = entered(["1", "2", "3", "4", "5"])
    #expect(terminal.lines == ["1", "2", "3", "4"])
    terminal.feed(frame.draw(["1"], width: 20, height: 4, cursor: nil))
    #expect(terminal.lines == ["1"])
  }

  @Test("after a resize every row is written again")
  func resize() {
    var (frame, terminal) = entered()
    terminal.resize(width: 10, height: 3)
    terminal.feed(frame.draw(["one", "two"], width: 10, height: 3, cursor: nil))
    #expect(terminal.lines == ["one", "two"])
  }

  @Test("erasing restores the main screen and its cursor, once")
  func erase() {
    var (frame, terminal) = entered()
    terminal.feed(frame.erase())
    #expect(!terminal.isAlternate && terminal.isCursorShown && !terminal.reportsFocus)
    #expect(terminal.lines == ["before"] && terminal.cursor == (1, 0))
    #expect(frame.erase().isEmpty)
  }

  @Test("a frame that was suspended leaves the screen at its end")
  func suspended() {
    var (frame, terminal) = entered()
    frame.forget()
    terminal.feed(frame.erase())
    #expect(!terminal.isAlternate && terminal.isCursorShown)
  }

  @Test("a frame that other programs may have overwritten enters the screen again")
  func forget() {
    var (frame, terminal) = entered()
    terminal.feed(Array("\u{1B}[?1049l".utf8))
    frame.forget()
    terminal.feed(frame.draw(["one", "two"], width: 20, height: 4, cursor: nil))
    #expect(terminal.isAlternate && terminal.lines == ["one", "two"])
  }

  @Test("after any calls, the screen shows the last frame", arguments: 0..<10)
  func random(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var (frame, terminal) = entered()
    for _ in 0..<60 {
      switch Int.random(in: 0..<8, using: &generator) {
      case 0: frame.invalidate()
      case 1: terminal.feed(frame.erase())
      case 2:
        terminal.resize(
          width: .random(in: 4...30, using: &generator),
          height: .random(in: 1...9, using: &generator)
        )
      default: break
      }
      let count = Int.random(in: 0...12, using: &generator)
      let lines = (0..<count).map { _ in
        let letters = Int.random(in: 0...terminal.width, using: &generator)
        let letter = ["a", "b"].randomElement(using: &generator) ?? "a"
        return StyledText(String(repeating: letter, count: letters))
      }
      terminal.feed(
        frame.draw(lines, width: terminal.width, height: terminal.height, cursor: nil)
      )
      var expected = lines.prefix(terminal.height).map(\.plain)
      while expected.last == "" { expected.removeLast() }
      #expect(terminal.lines == expected && terminal.unknown == [])
    }
  }
}

@Suite struct TerminalCallTests {
  @Test("a copied text is encoded, and one that is empty or too long is not copied")
  func copies() {
    var terminal = TerminalEmulator(width: 20, height: 4)
    terminal.feed(TerminalCalls.copy("git push") ?? [])
    #expect(terminal.copied == "Z2l0IHB1c2g=" && terminal.unknown == [])
    #expect(TerminalCalls.copy("") == nil)
    let most = String(repeating: "a", count: TerminalCalls.copyLimit)
    #expect(TerminalCalls.copy(most) != nil && TerminalCalls.copy(most + "a") == nil)
  }

  @Test("a notification has no control characters")
  func calls() {
    var terminal = TerminalEmulator(width: 20, height: 4)
    terminal.feed(TerminalCalls.call("a\u{07}\u{1B}]52;c;eA==\u{07}b"))
    #expect(terminal.calls.count == 1 && terminal.copied == nil && terminal.unknown == [])
  }
}
