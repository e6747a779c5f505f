// SPDX-License-Identifier: MIT

import OppiModel
import OppiSystem
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
