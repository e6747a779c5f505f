// SPDX-License-Identifier: MIT

import OppiModel
import OppiSystem
import TestSupport
import Testing

@Suite("ConfigFile")
struct ConfigFileTests {
  private let scratch: Scratch
  private let file: ConfigFile

  init() throws {
    scratch = try Scratch()
    file = ConfigFile(paths: scratch.paths, files: try .forTests())
  }

  @Test("a missing file has no settings")
  func missing() throws {
    let settings = try file.load()
    #expect(settings[.workspace] == nil)
    #expect(settings.unknownNames.isEmpty)
  }

  @Test(
    "a setting is its text; anything else is not set",
    arguments: [
      ("{workspace: 'Home/Work'}", "Home/Work"), ("{}", nil), ("{workspace: ''}", nil),
      ("{workspace: 7}", nil), ("{workspace: {name: 'x'}}", nil), ("{Workspace: 'x'}", nil),
    ] as [(String, String?)]
  )
  func setting(text: String, value: String?) throws {
    try scratch.write(text, to: file.path)
    #expect(try file.load()[.workspace] == value)
  }

  @Test(
    "names that no setting has are told, sorted and dotted",
    arguments: [
      ("{workspace: 'x'}", []), ("{worksapce: 'x', b: {c: 1}, a: 1}", ["a", "b", "worksapce"]),
      ("{workspace: {name: 'x'}}", []), ("{app: {command: 'x', b: 1}}", ["app.b"]),
      ("{app: 'x'}", ["app"]),
    ] as [(String, [String])]
  )
  func unknown(text: String, names: [String]) throws {
    try scratch.write(text, to: file.path)
    #expect(try file.load().unknownNames == names)
  }

  @Test("a change keeps every other byte of the file")
  func set() async throws {
    let text = "// mine\n{\n  // which one\n  workspace: 'a', /* more */ other: [1,],\n}\n"
    try scratch.write(text, to: file.path, mode: 0o644)
    try await file.set(.workspace, to: "b \"c\"")
    #expect(scratch.read(file.path) == text.replacing("'a'", with: #""b \"c\"""#))
    #expect(try file.load()[.workspace] == "b \"c\"")
  }

  @Test("the mark that some editors put before a text stays there")
  func byteOrderMark() async throws {
    try scratch.write("\u{FEFF}{workspace: 'a'}", to: file.path)
    #expect(try file.load()[.workspace] == "a")
    try await file.set(.workspace, to: "b")
    #expect(scratch.read(file.path) == "\u{FEFF}{workspace: \"b\"}")
  }

  @Test("a setting of a group is set inside it")
  func nested() async throws {
    try scratch.write("{app: { /* mine */ command: 'a' }, other: 1}", to: file.path)
    try await file.set(.appCommand, to: "b")
    #expect(scratch.read(file.path) == "{app: { /* mine */ command: \"b\" }, other: 1}")
    #expect(try file.load()[.appCommand] == "b")
  }

  @Test("a setting is added where there is none", arguments: [nil, "", " \n", "{}", "{a: 1}"])
  func add(text: String?) async throws {
    if let text { try scratch.write(text, to: file.path) }
    try await file.set(.workspace, to: "x")
    #expect(try file.load()[.workspace] == "x")
  }

  @Test("what is no JSON object is not changed", arguments: ["{", "[1]", "'x'", "{a: }"])
  func broken(text: String) async throws {
    try scratch.write(text, to: file.path)
    #expect(throws: FileError.self) { try file.load() }
    await #expect(throws: FileError.self) { try await file.set(.workspace, to: "x") }
    #expect(scratch.read(file.path) == text)
  }

  @Test("every setting has a name of its own and says what it is for")
  func keys() {
    #expect(Set(ConfigKey.all.map(\.name)).count == ConfigKey.all.count)
    for key in ConfigKey.all {
      #expect(!key.path.isEmpty)
      #expect(!key.summary.isEmpty)
    }
  }
}
