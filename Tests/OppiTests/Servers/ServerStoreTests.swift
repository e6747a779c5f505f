// SPDX-License-Identifier: MIT

import EventLoop
import Glibc
import OppiSystem
import OppiText
import OppiWire
import TestSupport
import Testing

@testable import OppiClient
@testable import OppiTestSupport

@Suite("ServerStore")
struct ServerStoreTests {
  private let scratch: Scratch
  private let store: ServerStore

  init() throws {
    scratch = try Scratch()
    store = ServerStore(paths: scratch.paths, files: try .forTests())
  }

  private var path: String { scratch.paths.serversFile }

  @Test("without a file, no server is paired")
  func empty() throws {
    #expect(try store.load().servers == [])
    #expect(try store.load().defaultServer == nil)
  }

  @Test("servers keep their order and all members, and the file its other members")
  func roundTrip() async throws {
    var second = try PairedServer.sample(2)
    second.dialect = .perSession
    second.tokenCommand = ["pass", "show", "oppi"]
    second.proxy = "socks5://127.0.0.1:1080"
    second.certificatePin = Fingerprint(digest: Array(repeating: 9, count: 32))
    let servers = [second, try PairedServer.sample(1)]
    try scratch.write("{\"note\": \"mine\", \"servers\": []}", to: path)
    try await store.update { contents throws(FileError) in contents.servers = servers }
    await store.remember(.perSession, of: second.id)
    #expect(try store.load().servers == servers)
    #expect(try store.load().defaultServer == second)
    #expect(scratch.mode(path) == 0o600)
    let json = try JSONValue(parsing: Array((scratch.read(path) ?? "").utf8))
    #expect(json["note"] == "mine" && json["version"] == 1, "\(json)")
  }

  @Test(
    "an invalid entry is an error, so it is never dropped",
    arguments: [
      "{\"servers\": [{}]}", "{\"servers\": [\"x\"]}", "{\"servers\": {}}", "{\"servers\": \"x\"}",
      "{\"servers\": null}",
    ]
  )
  func unusable(text: String) async throws {
    try scratch.write(text, to: path)
    #expect { try store.load() } throws: { error in
      if case FileError.unusable = error { true } else { false }
    }
    await #expect(throws: FileError.self) {
      try await store.update { contents throws(FileError) in contents.servers = [] }
    }
    #expect(scratch.read(path) == text)
  }

  @Test("dialects are stored apart from the user's file")
  func dialects() async throws {
    let servers = [try PairedServer.sample(1), try PairedServer.sample(2)]
    try await store.update { contents throws(FileError) in contents.servers = servers }
    let before = scratch.read(path)
    await store.remember(.perSession, of: servers[0].id)
    await store.remember(.multiplexed, of: servers[1].id)
    #expect(try store.load().servers.map(\.dialect) == [.perSession, .multiplexed])
    await store.remember(nil, of: servers[0].id)
    #expect(try store.load().servers.map(\.dialect) == [nil, .multiplexed])
    #expect(scratch.read(path) == before)
  }

  @Test("the version of a detected dialect is stored beside it")
  func versions() async throws {
    let server = try PairedServer.sample(1)
    try await store.update { contents throws(FileError) in contents.servers = [server] }
    await store.remember(.sessionSockets, version: "0.46.0", of: server.id)
    #expect(try store.load().servers.map(\.version) == ["0.46.0"])
    // A dialect that its stream corrects was seen on the same version.
    await store.remember(.deviceKeys, of: server.id)
    #expect(try store.load().servers.map(\.dialect) == [.deviceKeys])
    #expect(try store.load().servers.map(\.version) == ["0.46.0"])
    await store.remember(nil, version: "0.2.0", of: server.id)
    #expect(try store.load().servers.map(\.dialect) == [nil])
    #expect(try store.load().servers.map(\.version) == ["0.2.0"])
    await store.remember(nil, of: server.id)
    #expect(try store.load().servers == [server])
  }

  @Test("a doubt is kept for its server, beside what else is learned, until it is taken back")
  func doubts() async throws {
    let servers = [try PairedServer.sample(1), try PairedServer.sample(2)]
    try await store.update { contents throws(FileError) in contents.servers = servers }
    let before = scratch.read(path)
    await store.doubt(true, servers[1].id)
    #expect(try store.load().servers.map(\.isDoubted) == [false, true])
    await store.remember(.sessionSockets, version: "0.46.0", of: servers[1].id)
    await store.remember(.deviceKeys, of: servers[1].id)
    await store.remember(.multiplexed, of: servers[0].id)
    #expect(try store.load().servers.map(\.isDoubted) == [false, true])
    #expect(try store.load().servers.map(\.dialect) == [.multiplexed, .deviceKeys])
    #expect(scratch.read(path) == before)
    await store.doubt(false, servers[1].id)
    let learned = try #require(try store.load().servers.last)
    #expect(!learned.isDoubted && learned.dialect == .deviceKeys && learned.version == "0.46.0")
  }

  @Test("an entry that is not a paired server is named by its place")
  func place() async throws {
    let server = try PairedServer.sample(1)
    try await store.update { contents throws(FileError) in contents.servers = [server] }
    let text = try #require(scratch.read(path))
    let json = try JSONValue(parsing: Array(text.utf8))
    let entry = try #require(json["servers"].array?.first)
    func reason(_ list: JSONValue) throws -> String? {
      try scratch.write(JSONValue.object(["servers": list]).text(), to: path)
      do throws(FileError) {
        _ = try store.load()
        return nil
      } catch {
        guard case .unusable(path, let reason) = error else { return "\(error)" }
        return reason
      }
    }
    #expect(try reason([entry, entry]) == nil)
    #expect(try reason([entry, 7]) == "entry 2 is not a paired server")
    #expect(try reason([[:], entry]) == "entry 1 is not a paired server")
    #expect(try reason("x") == "servers is not a list")
  }

  @Test("a damaged dialects file is ignored")
  func damagedDialects() async throws {
    let server = try PairedServer.sample(1)
    try await store.update { contents throws(FileError) in contents.servers = [server] }
    try scratch.write("{", to: scratch.paths.dialectsFile)
    #expect(try store.load().servers == [server])
  }

  @Test("a check changes no file and reports obstacles")
  func checkWritable() throws {
    try store.checkWritable()
    #expect(scratch.names(in: ".config/oppi").isEmpty)
    try scratch.write("{\"servers\": 7}", to: path)
    #expect(throws: FileError.self) { try store.checkWritable() }
    let blocked = ServerStore(paths: XDGPaths(environment: [:], home: path), files: try .forTests())
    #expect(throws: FileError.self) { try blocked.checkWritable() }
  }

  @Test("a check uses no existing file and follows no link")
  func checkTouchesNothing() throws {
    let folder = FileStore.parent(of: path)
    try scratch.write("mine", to: "elsewhere")
    try scratch.write("mine", to: "\(path).probe")
    try scratch.makeFolder(folder)
    try scratch.link("\(folder)/.servers.json", to: scratch.path("elsewhere"))
    try store.checkWritable()
    #expect(scratch.read("elsewhere") == "mine")
    #expect(scratch.read("\(path).probe") == "mine")
    #expect(scratch.names(in: ".config/oppi").sorted() == [".servers.json", "servers.json.probe"])
  }

  @Test("a check detects a full disk")
  func fullDisk() async {
    await #expect(processExitsWith: .success) {
      let scratch = try Scratch()
      let store = ServerStore(paths: scratch.paths, files: try .forTests())
      signal(SIGXFSZ, SIG_IGN)
      var limit = rlimit(rlim_cur: 1000, rlim_max: 1000)
      try #require(setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
      let path = scratch.paths.serversFile
      #expect(throws: FileError.cannotWrite(path: path, SystemError("write", code: EFBIG))) {
        try store.checkWritable()
      }
      #expect(scratch.names(in: ".config/oppi").isEmpty)
    }
  }
}
