// SPDX-License-Identifier: MIT

import OppiSystem
import TestSupport
import Testing

@testable import OppiClient

/// Entries of `config.json` for folders and workspaces.
@Suite struct ConfigEntriesTests {
  private let scratch: Scratch
  private let file: ConfigFile

  init() throws {
    scratch = try Scratch()
    file = ConfigFile(paths: scratch.paths, files: try .forTests())
  }

  private func settings(_ text: String) throws -> ConfigFile.Settings {
    try scratch.write(text, to: file.path)
    return try file.load()
  }

  private static func place(_ paths: String...) -> WorkingDirectory {
    WorkingDirectory(paths: paths, home: "/home/ana")
  }

  // MARK: - Folders

  @Test(
    "the nearest folder above the working directory is used",
    arguments: [
      (["/home/ana/src/api"], "api"), (["/home/ana/src/api/deep/er"], "api"),
      (["/home/ana/src/api2"], "src"), (["/home/ana"], nil), (["/srv/data/x"], "data"),
      // Through a link: the path with the nearer entry; the shell's path if both are equally near.
      (["/home/ana/link", "/srv/data/x/y"], "data"),
      (["/home/ana/src/api", "/srv/data/x"], "api"),
      (["/home/ana/src/api", "/srv/data"], "api"), ([], nil),
    ] as [([String], String?)]
  )
  func nearest(paths: [String], workspace: String?) throws {
    let settings = try settings(
      "{directories: {'~/src': 'src', '~/src/api/': 'api', '/srv/data': 'data', '~/x': ''}}"
    )
    let place = WorkingDirectory(paths: paths, home: "/home/ana")
    #expect(try settings.directory(above: place)?.workspace == workspace)
  }

  @Test("the working directory is not read unless a folder has a workspace")
  func lazy() throws {
    let settings = try settings("{workspace: 'x'}")
    func unwanted() -> WorkingDirectory {
      Issue.record("the working directory was read")
      return Self.place("/")
    }
    #expect(try settings.directory(above: unwanted()) == nil)
  }

  @Test("an entry is set and unset like any other setting, and others are kept")
  func setsEntry() async throws {
    try scratch.write("{\n  // mine\n  model: 'x',\n}\n", to: file.path)
    try await file.set(.directory("~/src/a.b"), to: "studio/api")
    let settings = try file.load()
    #expect(settings.unknownNames == [])
    let place = Self.place("/home/ana/src/a.b")
    #expect(try settings.directory(above: place)?.workspace == "studio/api")
    try await file.unset(.directory("~/src/a.b"))
    #expect(try file.load().directory(above: place) == nil)
    #expect(scratch.read(file.path)?.contains("// mine\n  model: 'x',") == true)
  }

  // MARK: - Workspaces

  @Test("a setting of a workspace is stored under its name")
  func ownSetting() async throws {
    let key = ConfigKey.thinking.inWorkspace("studio/api")
    #expect(key.name == "workspaces.\"studio/api\".thinking" && key.general == .thinking)
    try await file.set(key, to: "high")
    try await file.set(ConfigKey.timeout.inWorkspace("web"), to: "30")
    let settings = try file.load()
    #expect(try settings.text(of: key) == "high")
    #expect(try settings.text(of: .thinking) == nil)
    #expect(try Set(settings.workspacesWithSettings()) == ["studio/api", "web"])
    #expect(settings.unknownNames == [])
    try await file.unset(key)
    #expect(try file.load().workspacesWithSettings() == ["web"])
    let budget = ConfigKey.dayBudget.inWorkspace("shop")
    try await file.set(budget, to: "5")
    #expect(try Set(file.load().workspacesWithSettings()) == ["shop", "web"])
    try await file.unset(budget)
    #expect(try file.load().workspacesWithSettings() == ["web"], "the empty group does not count")
  }

  @Test(
    "the arguments of config set for a setting are quoted for a shell",
    arguments: [
      (ConfigKey.model, "model"), (.model.inWorkspace("studio/api"), "-w studio/api model"),
      (.onAsk.inWorkspace("it's|1"), #"-w 'it'\''s|1' on-ask"#), (.directory("~/a"), nil),
    ] as [(ConfigKey, String?)]
  )
  func commandWords(key: ConfigKey, words: String?) {
    #expect(key.commandWords == words)
  }

  @Test(
    "unknown settings of a workspace are reported",
    arguments: [
      ("{workspaces: {api: {model: 'x'}}}", []),
      ("{workspaces: {api: {modle: 'x', history: true}}}", ["history", "modle"]),
    ]
  )
  func unknown(text: String, names: [String]) throws {
    #expect(try settings(text).unknownNames == names.map { "workspaces.\"api\".\($0)" })
  }

  @Test(
    "a value of the wrong type in a workspace is reported",
    arguments: [
      ("{workspaces: {api: 'x'}}", "workspaces.\"api\""),
      ("{workspaces: {api: {model: 7}}}", "workspaces.\"api\".model"),
    ]
  )
  func wrongTypeOfWorkspace(text: String, name: String) throws {
    let settings = try settings(text)
    #expect(try settings.workspacesWithSettings() == ["api"])
    let error = #expect(throws: FileError.self) {
      try settings.text(of: .model.inWorkspace("api"))
    }
    guard case .wrongType(_, name, "-w api model", _, _) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }
}
