// SPDX-License-Identifier: MIT

import OppiSystem
import TestSupport
import Testing

@testable import OppiClient

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
    #expect(try settings.text(of: .workspace) == nil)
    #expect(settings.unknownNames.isEmpty)
  }

  @Test(
    "a setting is its text, and an empty text is unset",
    arguments: [
      ("{workspace: 'Home/Work'}", "Home/Work"), ("{}", nil), ("{workspace: ''}", nil),
      ("{workspace: null}", nil), ("{Workspace: 'x'}", nil),
    ] as [(String, String?)]
  )
  func setting(text: String, value: String?) throws {
    try scratch.write(text, to: file.path)
    #expect(try file.load().text(of: .workspace) == value)
  }

  @Test(
    "a value of another type is reported with its type and the expected type",
    arguments: [
      ("{workspace: 7}", .workspace, "workspace", "a number", "a quoted string"),
      ("{workspace: {name: 'x'}}", .workspace, "workspace", "an object", "a quoted string"),
      ("{timeout: true}", .timeout, "timeout", "true or false", "a quoted string"),
      ("{history: 0}", .history, "history", "a number", "true or false"),
      ("{app: ['x']}", .appCommand, "app", "a list", "an object"),
    ] as [(String, ConfigKey, String, String, String)]
  )
  func wrongType(text: String, key: ConfigKey, name: String, found: String, expected: String) throws
  {
    try scratch.write(text, to: file.path)
    let error = FileError.wrongType(
      path: file.path,
      name: name,
      setting: key.name,
      found: found,
      expected: expected
    )
    #expect(throws: error) { try file.load().text(of: key) }
  }

  @Test("a number is accepted as text")
  func number() throws {
    try scratch.write("{timeout: 30}", to: file.path)
    #expect(try file.load().text(of: .timeout) == "30")
  }

  @Test("unsetting a setting keeps every other byte of the file")
  func unset() async throws {
    try scratch.write("// mine\n{\n  workspace: 'a',\n  other: [1,],\n}\n", to: file.path)
    try await file.unset(.workspace)
    #expect(scratch.read(file.path) == "// mine\n{\n  other: [1,],\n}\n")
  }

  @Test("unsetting in a missing file creates no file")
  func unsetNothing() async throws {
    try await file.unset(.workspace)
    #expect(scratch.read(file.path) == nil)
  }

  @Test(
    "unknown names are reported, sorted and dotted",
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
    #expect(try file.load().text(of: .workspace) == "b \"c\"")
  }

  @Test("a missing setting is added", arguments: [nil, "", " \n", "{}", "{a: 1}"])
  func add(text: String?) async throws {
    if let text { try scratch.write(text, to: file.path) }
    try await file.set(.workspace, to: "x")
    #expect(try file.load().text(of: .workspace) == "x")
  }

  @Test("a file of a later version is not changed")
  func newer() async throws {
    let text = "{version: 2, workspace: 'a'}"
    try scratch.write(text, to: file.path)
    #expect(throws: FileError.newerVersion(path: file.path, version: 2)) { try file.load() }
    await #expect(throws: FileError.newerVersion(path: file.path, version: 2)) {
      try await file.set(.workspace, to: "b")
    }
    #expect(scratch.read(file.path) == text)
  }

  @Test("an emptied file is moved aside before a setting is written", arguments: ["", "\n"])
  func emptied(text: String) async throws {
    try scratch.write(text, to: file.path)
    try await file.unset(.workspace)
    #expect(scratch.read(file.path) == text)
    try await file.set(.workspace, to: "a")
    #expect(scratch.read(file.path + ".corrupt") == text)
    #expect(try file.load().text(of: .workspace) == "a")
  }

  @Test("a file without a JSON object is not changed", arguments: ["{", "[1]", "'x'", "{a: }"])
  func broken(text: String) async throws {
    try scratch.write(text, to: file.path)
    #expect(throws: FileError.self) { try file.load() }
    await #expect(throws: FileError.self) { try await file.set(.workspace, to: "x") }
    #expect(scratch.read(file.path) == text)
  }

  @Test("each setting has a unique name and a summary")
  func keys() {
    #expect(Set(ConfigKey.all.map(\.name)).count == ConfigKey.all.count)
    for key in ConfigKey.all {
      #expect(!key.path.isEmpty)
      #expect(!key.summary.isEmpty)
    }
  }
}
