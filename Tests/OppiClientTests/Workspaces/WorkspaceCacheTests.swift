// SPDX-License-Identifier: MIT

import Glibc
import OppiSystem
import OppiText
import OppiWire
import TestSupport
import Testing

@testable import OppiClient

@Suite("WorkspaceCache")
struct WorkspaceCacheTests {
  private let scratch: Scratch
  private let files: FileStore
  private let cache: WorkspaceCache
  private let first = Fingerprint(digest: Array(repeating: 1, count: 32))
  private let second = Fingerprint(digest: Array(repeating: 2, count: 32))

  init() throws {
    scratch = try Scratch()
    files = try .forTests()
    cache = WorkspaceCache(paths: scratch.paths, files: files)
  }

  private var path: String { scratch.paths.workspacesFile }

  private func entry(_ names: String...) -> WorkspaceCache.Entry {
    WorkspaceCache.Entry(
      fetchedAt: Timestamp(seconds: 1_700_000_000),
      workspaces: names.map { Workspace(id: $0, name: "Name of \($0)", description: "d") }
    )
  }

  @Test("a missing cache is empty without a warning")
  func empty() async {
    #expect(await cache.load().isEmpty)
    await cache.remove(first)
    await cache.store([:])
    #expect(scratch.names().isEmpty)
    #expect(files.faults.take().isEmpty)
  }

  @Test("lists are replaced per server")
  func store() async {
    await cache.store([first: entry("a"), second: entry("b", "c")])
    await cache.store([first: entry()])
    #expect(await cache.load() == [first: entry(), second: entry("b", "c")])
    await cache.remove(second)
    #expect(await cache.load() == [first: entry()])
  }

  @Test("a damaged cache is empty, is noted once, and is replaced by the next store")
  func damaged() async throws {
    try scratch.write("{\"servers\"", to: path)
    #expect(await cache.load().isEmpty)
    await cache.store([first: entry("a")])
    #expect(files.faults.take().map(\.isReplaced) == [true])
    #expect(await cache.load() == [first: entry("a")])
    #expect(files.faults.take().isEmpty)
  }

  @Test("an oversized cache is replaced as well")
  func tooLarge() async throws {
    try scratch.write("", to: path)
    // A sparse file uses no disk space.
    try #require(truncate(path, 100 << 20) == 0)
    #expect(await cache.load().isEmpty)
    await cache.store([first: entry("a")])
    #expect(await cache.load() == [first: entry("a")])
    #expect(files.faults.take().map(\.isReplaced) == [true])
  }

  @Test("a cache that others can write to is not used, and is replaced")
  func writableByOthers() async throws {
    await cache.store([first: entry("a")])
    let text = try #require(scratch.read(path))
    try scratch.write(text, to: path, mode: 0o666)
    #expect(await cache.load().isEmpty)
    await cache.store([second: entry("b")])
    let error = FileError.unsafeMode(path: path, mode: 0o666, needed: "go-w")
    let faults = files.faults.take()
    #expect(faults.map(\.error) == [error] && faults[0].isReplaced)
    #expect(await cache.load() == [second: entry("b")])
    #expect(scratch.mode(path) == 0o600)
  }

  @Test("unusable entries are skipped")
  func unusableEntries() async throws {
    let good = "{\"fetchedAt\": \"2023-11-14T22:13:20Z\", \"workspaces\": [{\"id\": \"a b\"}, 7]}"
    try scratch.write(
      "{\"servers\": {\"x\": {}, \"\(first)\": \(good), \"\(second)\": {\"fetchedAt\": 3}}}",
      to: path
    )
    #expect(await cache.load() == [first: entry()])
  }
}

@Suite("WorkspaceLines")
struct WorkspaceLinesTests {
  private static let server = Fingerprint(digest: Array(repeating: 1, count: 32))
  private static let other = Fingerprint(digest: Array(repeating: 2, count: 32))
  static let names = [
    "api", "API", "my api", "a/api", "api-2", "Kapi", "\u{212A}api", "\"api\"", "a\\api", "ápi",
    "web", "", "x]}", "{\"id\":\"y\"}",
  ]

  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func workspace(_ number: Int, _ name: String) -> Workspace {
    Workspace(id: "id\(number)", name: name, description: "about \(name)")
  }

  private func onCache<Value: Sendable>(
    _ body: @escaping @Sendable (WorkspaceCache) async throws -> Value
  ) throws -> Value {
    try onLoop { [paths = scratch.paths] loop in
      try await body(WorkspaceCache(paths: paths, files: FileStore(loop: loop)))
    }
  }

  private func store() throws -> [Fingerprint: WorkspaceCache.Entry] {
    let workspaces = Self.names.enumerated().map { workspace($0, $1) }
    let entries = [
      Self.server: WorkspaceCache.Entry(fetchedAt: Timestamp(seconds: 1), workspaces: workspaces),
      Self.other: WorkspaceCache.Entry(fetchedAt: Timestamp(seconds: 2), workspaces: []),
    ]
    return try onCache {
      await $0.store(entries)
      return await $0.load()
    }
  }

  @Test("each workspace has its own line in a JSON file")
  func layout() throws {
    let stored = try store()
    let text = try #require(scratch.read(scratch.paths.workspacesFile))
    #expect(text.split(separator: "\n").count == Self.names.count + 6, "\(text)")
    let json = try JSONValue(parsing: Array(text.utf8))
    #expect(json["servers"][Self.server.text]["workspaces"].array?.count == Self.names.count)
    let all = try #require(WorkspaceLines.entries(in: Array(text.utf8), .init(text: "")))
    #expect(all == stored)
  }

  @Test(
    "a lookup returns every workspace that a name may refer to",
    arguments: names + ["studio/api", "studio → my api", "API", "kapi", "id3", "studio/a/api", "/"]
  )
  func found(word: String) throws {
    let stored = try store()
    let found = try onCache { await $0.load(naming: word) }
    #expect(found.mapValues(\.fetchedAt) == stored.mapValues(\.fetchedAt))
    let folded = word.lowercased()
    for workspace in stored[Self.server]?.workspaces ?? [] {
      let name = workspace.name.lowercased()
      let isMeant =
        name == folded || workspace.id == word
        || ["/", " → "].contains { folded.hasSuffix("studio\($0)\(name)") }
      let isFound = found[Self.server]?.workspaces.contains(workspace) == true
      #expect(isFound || !isMeant, "\(workspace.name)")
    }
  }

  @Test("a word is found at every place of a line, in either case, and nowhere else")
  func places() throws {
    let names = (0..<20).flatMap { before in
      (0..<12).map { after in
        String(repeating: "o", count: before) + "xyWORDzx" + String(repeating: "w", count: after)
      }
    }
    let workspaces = names.map { Workspace(id: "1", name: $0) }
    try onCache {
      let entry = WorkspaceCache.Entry(fetchedAt: Timestamp(seconds: 1), workspaces: workspaces)
      await $0.store([Self.server: entry])
    }
    let bytes = Array(try #require(scratch.read(scratch.paths.workspacesFile)).utf8)
    func found(_ text: String) -> [String]? {
      WorkspaceLines.entries(in: bytes, .init(text: text))?[Self.server]?.workspaces.map(\.name)
    }
    for text in ["w", "word", "xywordzx", "yword", #"}"#, #""name":"oooo"#] {
      let meant = names.filter { #"{"id":"1","name":"\#($0)"}"#.lowercased().contains(text) }
      #expect(found(text) == meant, "\(text)")
    }
    #expect(found("ward") == [] && found("wordwwwwwwwwwwwwww") == [])
  }

  @Test("other lines are not parsed")
  func others() throws {
    _ = try store()
    let text = try #require(scratch.read(scratch.paths.workspacesFile))
    let damaged = text.replacing("\"name\":\"web\"", with: "\"name\":")
    try scratch.write(damaged, to: scratch.paths.workspacesFile)
    #expect(try onCache { await $0.load() }.isEmpty)
    let found = try onCache { await $0.load(naming: "id3") }
    #expect(found[Self.server]?.workspaces.contains { $0.id == "id3" } == true)
  }

  @Test("a file of an earlier version is read completely")
  func earlier() throws {
    let stored = try store()
    let text = try #require(scratch.read(scratch.paths.workspacesFile))
    let json = try JSONValue(parsing: Array(text.utf8))
    try scratch.write(json.text(.indented), to: scratch.paths.workspacesFile)
    #expect(try onCache { await $0.load(naming: "api") } == stored)
    #expect(try onCache { $0.beginning(with: "api", of: [:]) } == stored)
  }

  @Test("a prefix matches with and without the name of the server")
  func beginning() throws {
    _ = try store()
    func names(_ word: String) throws -> Set<String> {
      let found = try onCache { $0.beginning(with: word, of: [Self.server: "Studio"]) }
      return Set((found[Self.server]?.workspaces ?? []).map(\.name))
    }
    #expect(try names("ap") == ["api", "API", "api-2"])
    #expect(try names("studio/Ap") == ["api", "API", "api-2"])
    #expect(try names("a/") == ["a/api"])
    #expect(try names("").count == Set(Self.names.map { $0.isEmpty ? "id11" : $0 }).count)
    #expect(try names("nothing").isEmpty)
  }
}
