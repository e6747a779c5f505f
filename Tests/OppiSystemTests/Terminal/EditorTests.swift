// SPDX-License-Identifier: MIT

import EventLoop
import Foundation
import Glibc
import TestSupport
import Testing

@testable import OppiSystem

@Suite("Editor")
struct EditorTests {
  private func edit(_ text: String, with editor: String, in scratch: Scratch) throws -> String {
    let variables = ["EDITOR": editor, "TMPDIR": scratch.folder]
    return try onLoop { try await Editor.edit(text, environment: variables, on: $0) }
  }

  @Test("the edited text is returned, and the file is removed")
  func edits() throws {
    let scratch = try Scratch()
    #expect(try edit("old text", with: "sed -i s/old/new/", in: scratch) == "new text")
    #expect(scratch.names().isEmpty)
  }

  @Test("the terminal is taken back from the editor")
  func takesBack() async throws {
    _ = try edit("text", with: "true", in: Scratch())
    // Other tests may lend it meanwhile.
    try await waitUntil { !TerminalLoan.isLent }
  }

  @Test(
    "one line break at the end is removed",
    arguments: [("", ""), ("a\\n", "a"), ("a\\n\\n", "a\n"), ("\\n", ""), ("a\\nb", "a\nb")]
  )
  func lineBreak(file: String, text: String) throws {
    #expect(try edit("old", with: "printf '\(file)' >", in: Scratch()) == text)
  }

  @Test("invalid UTF-8 is replaced")
  func invalid() throws {
    #expect(try edit("", with: "printf 'a\\377b' >", in: Scratch()) == "a\u{FFFD}b")
  }

  @Test("only the user can read the file and its folder")
  func isPrivate() throws {
    let script = #"f() { m=$(stat -c %a "$1" "${1%/*}"); echo $m >"$1"; }; f"#
    #expect(try edit("secret", with: script, in: Scratch()) == "600 700")
  }

  @Test("the text is returned from a folder that seems open to others, as on some file systems")
  func openFolder() throws {
    let scratch = try Scratch()
    let script = #"f() { echo new >"$1"; chmod 777 "${1%/*}" "$1"; }; f"#
    #expect(try edit("old", with: script, in: scratch) == "new")
    #expect(scratch.names().isEmpty)
  }

  @Test("a text that is too large to be read stays in its file, which the error names")
  func tooLarge() throws {
    let scratch = try Scratch()
    let script = #"f() { head -c 16777217 /dev/zero >"$1"; }; f"#
    let error = #expect(throws: Editor.Failure.self) { try edit("old", with: script, in: scratch) }
    let folder = try #require(scratch.names().first)
    let path = "\(scratch.folder)/\(folder)/message.md"
    #expect(error == .file(.tooLarge(path: path, limit: 16 << 20)))
  }

  @Test("other files of the editor are removed")
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
    "VISUAL precedes EDITOR, and an empty variable is unset",
    arguments: [
      (["VISUAL": "printf visual >", "EDITOR": "printf editor >"], "visual"),
      (["VISUAL": "", "EDITOR": "printf editor >"], "editor"),
    ]
  )
  func choice(environment: [String: String], text: String) throws {
    #expect(try onLoop { try await Editor.edit("", environment: environment, on: $0) } == text)
  }

  @Test("an editor that fails returns no text", arguments: [("exit 3; :", 3), ("kill $$; :", 143)])
  func fails(editor: String, status: Int32) throws {
    let scratch = try Scratch()
    #expect(throws: Editor.Failure.gaveUp(command: editor, status: status)) {
      try edit("text", with: editor, in: scratch)
    }
    #expect(scratch.names().isEmpty)
  }

  @Test("a missing editor fails with the status of the shell")
  func missing() throws {
    let editor = "oppi-no-such-editor 2>/dev/null"
    #expect(throws: Editor.Failure.gaveUp(command: editor, status: 127)) {
      try edit("text", with: editor, in: Scratch())
    }
  }

  @Test("a folder that cannot be created is a file error")
  func noFolder() throws {
    let cause = SystemError("mkdtemp", code: ENOENT)
    #expect(throws: Editor.Failure.file(.cannotCreate(path: "/nowhere", cause))) {
      let variables = ["EDITOR": "true", "TMPDIR": "/nowhere"]
      return try onLoop { try await Editor.edit("text", environment: variables, on: $0) }
    }
  }

  @Test("Ctrl-Z in the editor also stops this program, and both resume")
  func stop() async {
    await #expect(processExitsWith: .success) {
      let scratch = try Scratch()
      try #require(Signals.continueOnceStopped("echo >\(scratch.path("stopped"))"))
      try onLoop { loop in
        let events = try TerminalEvents(on: loop)
        let variables = ["EDITOR": "kill -TSTP 0; printf edited >"]
        let text = try await Editor.edit("", environment: variables, on: loop)
        #expect(text == "edited")
        #expect(events.take().isEmpty)
      }
      #expect(scratch.names() == ["stopped"])
    }
  }

  @Test("the loop runs while the editor is open")
  func loopGoesOn() throws {
    let scratch = try Scratch()
    let (open, go) = (scratch.path("open"), scratch.path("go"))
    let wait = ": >\(open); until [ -e \(go) ]; do sleep 0.01; done"
    let editor = "f() { \(wait); printf edited >\"$1\"; }; f"
    let text = try onLoop { loop in
      async let edited = Editor.edit("", environment: ["EDITOR": editor], on: loop)
      try await loop.waitForFile(open)
      try scratch.write("", to: "go")
      return try await edited
    }
    #expect(text == "edited")
  }

  /// An editor that creates a file, then waits.
  private func patient(_ scratch: Scratch, _ first: String = ":") -> [String: String] {
    let wait = "while :; do sleep 0.01; done"
    let editor = "f() { \(first); : >\(scratch.path("open")); \(wait); }; f"
    return ["EDITOR": editor, "TMPDIR": scratch.folder]
  }

  /// Cancels an edit after its editor has opened, and returns the folder that was kept.
  private func cutOff(_ variables: [String: String], _ scratch: Scratch) throws -> String? {
    try onLoop { loop in
      let edit = Task(executorPreference: loop) { () -> Editor.Failure? in
        do throws(Editor.Failure) {
          _ = try await Editor.edit("text", environment: variables, on: loop)
          return nil
        } catch {
          return error
        }
      }
      try await loop.waitForFile(scratch.path("open"))
      edit.cancel()
      guard case .cutOff(let folder) = await edit.value else { return nil }
      return folder ?? ""
    }
  }

  @Test(
    "a cancelled editor is terminated, or else killed, and leaves no files",
    arguments: [":", "trap '' TERM"]
  )
  func cutOff(first: String) throws {
    let scratch = try Scratch()
    let variables = patient(scratch, "\(first); echo $$ >\(scratch.path("process"))")
    #expect(try cutOff(variables, scratch) == "")
    let process = try #require(
      scratch.read("process").flatMap { Int32($0.trimmingCharacters(in: .newlines)) }
    )
    #expect(kill(process, 0) == -1 && errno == ESRCH)
    #expect(Set(scratch.names()) == ["open", "process"])
  }

  @Test(
    "changes made in a cancelled editor are kept, and their folder is reported",
    arguments: [#"printf new >"$1""#, #": >"$1.save""#, #"trap 'printf new >"$1"; exit' TERM"#]
  )
  func keepsWork(first: String) throws {
    let scratch = try Scratch()
    let folder = try #require(try cutOff(patient(scratch, first), scratch))
    #expect(folder.hasPrefix(scratch.folder + "/oppi."))
    #expect(scratch.names(in: folder).contains("message.md"))
  }

  @Test("the terminal modes are restored after an editor was cancelled")
  func modes() async {
    await #expect(processExitsWith: .success) {
      let (scratch, pseudo) = (try Scratch(), try PseudoTerminal())
      dup2(pseudo.secondary, STDIN_FILENO)
      let before = pseudo.modes
      _ = try EditorTests().cutOff(EditorTests().patient(scratch, "stty raw -echo"), scratch)
      #expect(pseudo.modes == before)
    }
  }
}

@Suite struct PagerTests {
  private struct OnlyLess: ProgramAccess {
    func has(_ name: String) -> Bool { name == "less" }
    func has(_ name: String, path: String) -> Bool { has(name) }
    func run(
      _ program: ChildProcess,
      on loop: EventLoop,
      until deadline: EventLoop.Instant
    ) async throws(ChildProcess.Failure) -> ChildProcess.Outcome { throw .cancelled }
    func startDetached(_ arguments: [String]) throws(SystemError) {}
  }

  @Test(
    "PAGER is the pager, else less; there is none if it is empty, cat or missing",
    arguments: [
      ([:], ["less"]), (["PAGER": "less -S"], ["less", "-S"]), (["PAGER": ""], nil),
      (["PAGER": "cat"], nil), (["PAGER": "nosuch"], nil), (["TERM": "dumb"], nil),
      (["PAGER": "less | cat"], ["/bin/sh", "-c", "less | cat"]),
    ] as [([String: String], [String]?)]
  )
  func choice(variables: [String: String], arguments: [String]?) {
    let environment = ["TERM": "xterm"].merging(variables) { $1 }
    let pager = Pager(environment: environment, programs: OnlyLess())
    #expect(pager?.arguments == arguments)
    #expect(pager == nil || pager?.environment["LESS"] == "FRX")
  }

  @Test("the options of the user for less are kept")
  func options() {
    let environment = ["TERM": "xterm", "LESS": "S"]
    #expect(
      Pager(environment: environment, programs: OnlyLess())?.environment["LESS"] == "S"
    )
  }

  @Test(
    "a pager gets the text and may quit early; one that cannot be started shows nothing",
    arguments: [
      ("cat >$FILE", true, 300_000), ("head -c 3 >$FILE", true, 3), ("exit 1 # >$FILE", true, nil),
      ("nosuch-program >$FILE 2>&1", false, nil),
    ] as [(String, Bool, Int?)]
  )
  func shows(command: String, isShown: Bool, size: Int?) throws {
    // As `oppi` does from its start.
    ProcessSetup.perform()
    let scratch = try Scratch()
    let file = "\(scratch.folder)/out"
    let environment = ["TERM": "xterm", "PAGER": command, "FILE": file, "PATH": "/usr/bin:/bin"]
    let programs = SystemPrograms(environment: environment)
    let pager = try #require(Pager(environment: environment, programs: programs))
    let text = String(repeating: "x", count: 300_000)
    let shown = try onLoop { await pager.show(text, by: programs, on: $0) }
    #expect(shown == isShown)
    if let size {
      let written = try FileManager.default.attributesOfItem(atPath: file)[.size] as? Int
      #expect(written == size)
    }
  }
}
