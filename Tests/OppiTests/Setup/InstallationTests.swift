// SPDX-License-Identifier: MIT

import Foundation
import Glibc
import OppiSystem
import OppiWire
import TestSupport
import Testing

@testable import OppiPrompts

/// Installed files on the real disk; a simulated world covers the rest of `oppi setup`.
@Suite struct InstallationTests {
  private let scratch: Scratch
  private let record: SetupRecordFile
  private let installation: Installation

  init() throws {
    scratch = try Scratch()
    let files = try FileStore.forTests()
    record = SetupRecordFile(path: scratch.paths.setupFile, place: "user", files: files)
    installation = Installation(record: record, files: files, folders: .everyone)
  }

  private func item(_ name: String, _ text: String = "text\n") -> Installation.Item {
    Installation.Item(path: scratch.path(name), what: name, bytes: Array(text.utf8))
  }

  private func outcomes(_ results: [Installation.Result]) -> [Installation.Outcome] {
    results.map(\.outcome)
  }

  @Test("files and folders are readable by all users")
  func modes() async throws {
    #expect(outcomes(try await installation.install([item("a/b/file")])) == [.written])
    #expect(scratch.mode("a/b/file") == 0o644)
    #expect(scratch.mode("a") == 0o755 && scratch.mode("a/b") == 0o755)
    #expect(outcomes(try await installation.remove([item("a/b/file")])) == [.removed])
    #expect(scratch.names() == [])
  }

  private func page(_ name: String, of collection: String = "a") -> Installation.Item {
    var item = item(name)
    item.collection = collection
    return item
  }

  @Test("a file that its collection no longer has is removed, and other collections are kept")
  func former() async throws {
    _ = try await installation.install([item("x"), page("p"), page("q"), page("r")])
    _ = try await installation.install([item("y"), page("s", of: "b")])
    let results = try await installation.install([item("x"), page("p")])
    #expect(outcomes(results) == [.unchanged, .unchanged, .removed, .removed])
    #expect(results.suffix(2).map(\.what) == ["q", "r"])
    #expect(scratch.names().filter { $0.count == 1 } == ["p", "s", "x", "y"])
    #expect(outcomes(try await installation.install([item("x"), page("p")])).count == 2)
    let removed = try await installation.remove([])
    #expect(removed.map(\.what).sorted() == ["p", "s", "x", "y"])
  }

  @Test("a changed file that its collection no longer has is kept and reported once")
  func changedFormer() async throws {
    _ = try await installation.install([page("p"), page("q"), page("r")])
    try scratch.write("mine\n", to: "q")
    try FileManager.default.removeItem(atPath: scratch.path("r"))
    let trial = try await installation.install([page("p")], isTrial: true)
    #expect(outcomes(trial) == [.unchanged, .changed])
    #expect(outcomes(try await installation.install([page("p")])) == [.unchanged, .changed])
    #expect(outcomes(try await installation.install([page("p")])) == [.unchanged])
    #expect(outcomes(try await installation.remove([page("p")])) == [.removed])
    #expect(scratch.names().contains("q"))
  }

  @Test("a file that its collection no longer has is removed later if it cannot be removed now")
  func failedFormer() async throws {
    _ = try await installation.install([page("p"), page("q")])
    try FileManager.default.removeItem(atPath: scratch.path("q"))
    try scratch.makeFolder("q")
    expectFailure(try await installation.install([page("p")]), .unchanged)
    try FileManager.default.removeItem(atPath: scratch.path("q"))
    try scratch.write("text\n", to: "q", mode: 0o644)
    #expect(outcomes(try await installation.install([page("p")])) == [.unchanged, .removed])
    #expect(scratch.read("q") == nil)
  }

  @Test("an existing or shared folder is kept")
  func folders() async throws {
    try scratch.makeFolder("there")
    let items = [item("there/file"), item("made/file"), item("shared/file")]
    _ = try await installation.install(items)
    try scratch.write("x", to: "shared/other")
    _ = try await installation.remove(items)
    #expect(scratch.names() == ["shared", "there"])
    #expect(scratch.names(in: "shared") == ["other"] && scratch.names(in: "there") == [])
  }

  /// A product that another program creates from a file.
  private func product(_ make: @escaping @Sendable () async -> Void) -> Installation.Product {
    Installation.Product(
      path: scratch.path("cache"),
      what: "cache",
      sources: [scratch.path("file")],
      make: make
    )
  }

  /// Requires that the file has an outcome, and that its product or a former file has failed.
  private func expectFailure(_ results: [Installation.Result], _ outcome: Installation.Outcome) {
    #expect(results.count == 2 && results[0].outcome == outcome, "\(results)")
    #expect(results.last?.outcome.failure != nil, "\(results)")
  }

  @Test("an unreadable product is a failure, and its record is kept")
  func unreadableProduct() async throws {
    let product = product { [scratch] in try? scratch.makeFolder("cache") }
    let items = [item("file")]
    expectFailure(try await installation.install(items, product: product), .written)
    expectFailure(try await installation.remove(items, product: product), .removed)
    try FileManager.default.removeItem(atPath: product.path)
    _ = try await installation.remove([item("file")], product: product)
    #expect(scratch.names() == [])
  }

  @Test("an unreadable product of another program is a failure when it is rebuilt")
  func unreadableForeignProduct() async throws {
    try scratch.makeFolder("cache")
    let product = product {}
    let items = [item("file")]
    expectFailure(try await installation.install(items, product: product), .written)
    expectFailure(try await installation.remove(items, product: product), .removed)
    #expect(scratch.names() == ["cache"])
  }

  @Test("a link in place of a file is not followed and not removed")
  func links() async throws {
    try scratch.write("text\n", to: "real", mode: 0o644)
    try scratch.link("file", to: "real")
    try scratch.link("dangling", to: "none")
    let items = [item("file"), item("dangling")]
    #expect(outcomes(try await installation.install(items)) == [.foreign, .foreign])
    #expect(try await installation.remove(items).isEmpty)
    #expect(scratch.names() == ["dangling", "file", "real"])
  }

  @Test("files below a linked folder are installed and removed")
  func linkedFolder() async throws {
    try scratch.makeFolder("real")
    try scratch.link("folder", to: "real")
    #expect(outcomes(try await installation.install([item("folder/file")])) == [.written])
    #expect(outcomes(try await installation.install([item("folder/file")])) == [.unchanged])
    #expect(outcomes(try await installation.remove([item("folder/file")])) == [.removed])
    #expect(scratch.names() == ["folder", "real"])
  }

  @Test("a folder that others can write to is rejected, and the other files are written")
  func unsafe() async throws {
    try scratch.makeFolder("open")
    try #require(chmod(scratch.path("open"), 0o777) == 0)
    let items = [item("open/file"), item("file")]
    let failure = FileError.unsafeFolder(path: scratch.path("open"), mode: 0o777)
    #expect(outcomes(try await installation.install(items)) == [.failed(failure), .written])
    #expect(outcomes(try await installation.install(items)) == [.failed(failure), .unchanged])
    #expect(outcomes(try await installation.remove(items)) == [.removed])
    #expect(scratch.names() == ["open"] && scratch.names(in: "open") == [])
  }

  @Test("a file that others can write to is compared as usual")
  func groupWritable() async throws {
    try scratch.write("mine", to: "foreign", mode: 0o664)
    try scratch.write("text\n", to: "own", mode: 0o664)
    let items = [item("foreign"), item("own")]
    #expect(outcomes(try await installation.install(items)) == [.foreign, .unchanged])
    #expect(outcomes(try await installation.remove(items)) == [.removed])
    #expect(scratch.names() == ["foreign"])
  }

  @Test("a folder in place of a file fails for that file only")
  func folderInPlace() async throws {
    try scratch.makeFolder("file/inner")
    let results = outcomes(try await installation.install([item("file"), item("other")]))
    #expect(results.first?.failure != nil, "\(results)")
    #expect(results.last == .written)
  }

  @Test("an identical file without a record is treated as installed")
  func recordLost() async throws {
    _ = try await installation.install([item("file")])
    try installation.files.remove(scratch.paths.setupFile)
    #expect(outcomes(try await installation.install([item("file")])) == [.unchanged])
    #expect(outcomes(try await installation.remove([item("file")])) == [.removed])
  }

  @Test("a changed file is kept if several digests are recorded")
  func severalDigests() async throws {
    _ = try await installation.install([item("file", "one\n")])
    var known = try record.load()
    let path = scratch.path("file")
    let digests = ["one\n", "two\n"].map { SHA256.hex(of: Array($0.utf8)) }
    known[path]?.digests = digests
    try record.store(known)
    try scratch.write("changed by hand\n", to: "file", mode: 0o644)
    for wanted in [item("file", "two\n"), item("file", "three\n")] {
      #expect(outcomes(try await installation.install([wanted])) == [.changed])
      #expect(outcomes(try await installation.remove([wanted], isTrial: true)) == [.changed])
    }
    #expect(outcomes(try await installation.remove([item("file", "two\n")])) == [.changed])
    #expect(scratch.read("file") == "changed by hand\n")
    for text in ["one\n", "two\n"] {
      try record.store(known)
      try scratch.write(text, to: "file", mode: 0o644)
      #expect(outcomes(try await installation.remove([item("file", "three\n")])) == [.removed])
      #expect(scratch.read("file") == nil)
    }
  }

  @Test("an unreadable record stops the installation before any change")
  func badRecord() async throws {
    try scratch.write("{\"user\": {\"folders\": 1}}", to: scratch.paths.setupFile)
    await #expect(throws: FileError.self) { try await installation.install([item("file")]) }
    #expect(scratch.read("file") == nil)
  }

  // MARK: - Products of other programs

  private func cache(_ text: String) -> Installation.Product {
    product { [scratch] in _ = try? scratch.write(text, to: "cache", mode: 0o644) }
  }

  @Test("a cache created by the installation is removed with it")
  func ownCache() async throws {
    let written = try await installation.install([item("file")], product: cache("one"))
    #expect(written.map(\.what) == ["file", "cache"])
    #expect(scratch.read("cache") == "one")
    _ = try await installation.install([item("file")], product: cache("two"))
    #expect(scratch.read("cache") == "one")
    let removed = try await installation.remove([item("file")], product: cache("three"))
    #expect(removed.map(\.what) == ["file", "cache"])
    #expect(scratch.names() == [])
  }

  @Test("an existing cache is rebuilt and kept")
  func cacheOfOthers() async throws {
    try scratch.write("theirs", to: "cache", mode: 0o644)
    _ = try await installation.install([item("file")], product: cache("both"))
    #expect(scratch.read("cache") == "both")
    _ = try await installation.remove([item("file")], product: cache("theirs"))
    #expect(scratch.read("cache") == "theirs" && scratch.names() == ["cache"])
  }

  @Test("a cache that another program has rebuilt is rebuilt and kept")
  func cacheChanged() async throws {
    _ = try await installation.install([item("file")], product: cache("own"))
    try scratch.write("with others", to: "cache", mode: 0o644)
    let removed = try await installation.remove([item("file")], product: cache("of others"))
    #expect(removed.map(\.what) == ["file"])
    #expect(scratch.read("cache") == "of others")
  }
}
