// SPDX-License-Identifier: MIT

import Glibc
import OppiModel
import OppiSystem
import Synchronization
import TestSupport
import Testing

@testable import Oppi

@Suite("WorkspaceCache")
struct WorkspaceCacheTests {
  private final class Warnings: Sendable {
    let texts = Mutex<[String]>([])
  }

  private let scratch: Scratch
  private let warnings = Warnings()
  private let cache: WorkspaceCache
  private let first = Fingerprint(digest: Array(repeating: 1, count: 32))
  private let second = Fingerprint(digest: Array(repeating: 2, count: 32))

  init() throws {
    scratch = try Scratch()
    cache = WorkspaceCache(paths: scratch.paths, files: try .forTests()) { [warnings] text in
      warnings.texts.withLock { $0.append(text) }
    }
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
    #expect(warnings.texts.withLock { $0 } == [])
  }

  @Test("lists are replaced per server")
  func store() async {
    await cache.store([first: entry("a"), second: entry("b", "c")])
    await cache.store([first: entry()])
    #expect(await cache.load() == [first: entry(), second: entry("b", "c")])
    await cache.remove(second)
    #expect(await cache.load() == [first: entry()])
  }

  @Test("a damaged cache is empty, and is moved aside with a warning on the next store")
  func damaged() async throws {
    try scratch.write("{\"servers\"", to: path)
    #expect(await cache.load().isEmpty)
    await cache.store([first: entry("a")])
    #expect(warnings.texts.withLock { $0 }.count == 1)
    #expect(warnings.texts.withLock { $0 }.first?.contains("\(path).corrupt") == true)
    #expect(scratch.read("\(path).corrupt") == "{\"servers\"")
    #expect(await cache.load() == [first: entry("a")])
  }

  @Test("an oversized cache is replaced as well")
  func tooLarge() async throws {
    try scratch.write("", to: path)
    // A sparse file uses no disk space.
    try #require(truncate(path, 100 << 20) == 0)
    #expect(await cache.load().isEmpty)
    await cache.store([first: entry("a")])
    #expect(await cache.load() == [first: entry("a")])
    #expect(warnings.texts.withLock { $0 }.count == 1)
  }

  @Test("a cache that others can write to is not used and not replaced")
  func writableByOthers() async throws {
    await cache.store([first: entry("a")])
    let text = try #require(scratch.read(path))
    try scratch.write(text, to: path, mode: 0o666)
    #expect(await cache.load().isEmpty)
    await cache.store([second: entry("b")])
    #expect(warnings.texts.withLock { $0 } == ["cannot use the workspace cache: \(path)"])
    #expect(scratch.read(path) == text)
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
