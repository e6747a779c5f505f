// SPDX-License-Identifier: MIT

import OppiSystem
import OppiText
import TestSupport
import Testing

@testable import Oppi

@Suite struct LinkStoreTests {
  private let scratch: Scratch
  private let store: LinkStore

  init() throws {
    scratch = try Scratch()
    let paths = XDGPaths(environment: ["XDG_RUNTIME_DIR": scratch.folder], home: "/nowhere")
    store = LinkStore(paths: paths, files: try .forTests())
  }

  @Test("a link is taken once")
  func once() throws {
    try store.leave("oppi://connect", at: .noon)
    #expect(scratch.mode("oppi/link.json") == 0o600)
    #expect(try store.take(at: .noon) == "oppi://connect")
    #expect(try store.take(at: .noon) == nil)
  }

  @Test(
    "a link is taken for 90 s; a later look discards it",
    arguments: [(0, true), (89, true), (90, false), (91, false)]
  )
  func expiry(seconds: Int, isTaken: Bool) throws {
    try store.leave("oppi://connect", at: .noon)
    let later = Timestamp.noon.moved(by: .seconds(seconds))
    #expect(try store.take(at: later) == (isTaken ? "oppi://connect" : nil))
    #expect(try store.take(at: .noon) == nil)
    #expect(scratch.read("oppi/link.json") == nil)
  }

  @Test("a link without an end is not taken")
  func endless() throws {
    try scratch.write(#"{"link":"oppi://connect"}"#, to: "oppi/link.json", mode: 0o600)
    #expect(try store.take(at: .noon) == nil)
  }

  @Test("a link is replaced by the next one")
  func replaced() throws {
    try store.leave("oppi://connect?first", at: .noon)
    try store.leave("oppi://connect?second", at: .noon)
    #expect(try store.take(at: .noon) == "oppi://connect?second")
  }

  @Test("a link of a later version is not taken, replaced or discarded")
  func newer() throws {
    let text = #"{"version":2,"link":"oppi://connect"}"#
    try scratch.write(text, to: "oppi/link.json", mode: 0o600)
    let error = FileError.newerVersion(path: "\(scratch.folder)/oppi/link.json", version: 2)
    #expect(throws: error) { try store.leave("oppi://other", at: .noon) }
    #expect(throws: error) { try store.take(at: .noon) }
    store.discard()
    #expect(scratch.read("oppi/link.json") == text)
  }
}
