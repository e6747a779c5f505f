// SPDX-License-Identifier: MIT

import EventLoop
import Glibc
import TestSupport
import Testing

@testable import OppiSystem

@Suite("Editor")
struct EditorTests {
  private func edit(_ text: String, with editor: String, in scratch: Scratch) throws -> String {
    try Editor.edit(text, environment: ["EDITOR": editor, "TMPDIR": scratch.folder])
  }

  @Test("the edited text comes back, and the file is gone")
  func edits() throws {
    let scratch = try Scratch()
    #expect(try edit("old text", with: "sed -i s/old/new/", in: scratch) == "new text")
    #expect(scratch.names().isEmpty)
  }

  @Test(
    "one line break at the end is the file's",
    arguments: [("", ""), ("a\\n", "a"), ("a\\n\\n", "a\n"), ("\\n", ""), ("a\\nb", "a\nb")]
  )
  func lineBreak(file: String, text: String) throws {
    #expect(try edit("old", with: "printf '\(file)' >", in: Scratch()) == text)
  }

  @Test("bytes that are no UTF-8 are replaced")
  func invalid() throws {
    #expect(try edit("", with: "printf 'a\\377b' >", in: Scratch()) == "a\u{FFFD}b")
  }

  @Test("only the user can read the file and its folder")
  func isPrivate() throws {
    let script = #"f() { m=$(stat -c %a "$1" "${1%/*}"); echo $m >"$1"; }; f"#
    #expect(try edit("secret", with: script, in: Scratch()) == "600 700")
  }

  @Test("what the editor leaves beside the file is removed")
  func leftovers() throws {
    let scratch = try Scratch()
    _ = try edit("text", with: #"f() { cp "$1" "$1~"; mkdir "$1.d"; }; f"#, in: scratch)
    #expect(scratch.names().isEmpty)
  }

  @Test("a removed file is an empty text")
  func removed() throws {
    #expect(try edit("text", with: "rm", in: Scratch()).isEmpty)
  }

  @Test(
    "the visual editor comes first, an empty name is none",
    arguments: [
      (["VISUAL": "printf visual >", "EDITOR": "printf editor >"], "visual"),
      (["VISUAL": "", "EDITOR": "printf editor >"], "editor"),
    ]
  )
  func choice(environment: [String: String], text: String) throws {
    #expect(try Editor.edit("", environment: environment) == text)
  }

  @Test("an editor that fails takes no text", arguments: [("exit 3; :", 3), ("kill $$; :", 143)])
  func fails(editor: String, status: Int32) throws {
    let scratch = try Scratch()
    let error = #expect(throws: Editor.Failure.self) {
      try edit("text", with: editor, in: scratch)
    }
    guard case .gaveUp(editor, status) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(scratch.names().isEmpty)
  }

  @Test("an editor that is not there gives up as the shell says it")
  func missing() throws {
    let error = #expect(throws: Editor.Failure.self) {
      try edit("text", with: "oppi-no-such-editor 2>/dev/null", in: Scratch())
    }
    guard case .gaveUp(_, 127) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test("a folder that cannot be written is a file error")
  func noFolder() throws {
    let error = #expect(throws: Editor.Failure.self) {
      try Editor.edit("text", environment: ["EDITOR": "true", "TMPDIR": "/nowhere"])
    }
    guard case .file(.cannotCreate("/nowhere", SystemError("mkdtemp", code: ENOENT))) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test("Ctrl-Z in the editor stops this program as well, and both go on")
  func stop() async {
    await #expect(processExitsWith: .success) {
      let scratch = try Scratch()
      try #require(Signals.continueOnceStopped("echo >\(scratch.path("stopped"))"))
      try onLoop { loop in
        let events = try TerminalEvents(on: loop)
        let text = try Editor.edit("", environment: ["EDITOR": "kill -TSTP 0; printf edited >"])
        #expect(text == "edited")
        #expect(events.take().isEmpty)
      }
      #expect(scratch.names() == ["stopped"])
    }
  }
}
