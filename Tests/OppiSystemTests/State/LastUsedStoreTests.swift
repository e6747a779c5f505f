// SPDX-License-Identifier: MIT

import OppiModel
import OppiSystem
import TestSupport
import Testing

@Suite("LastUsedStore")
struct LastUsedStoreTests {
  private let scratch: Scratch
  private let store: LastUsedStore
  private let workspace: WorkspaceReference

  init() throws {
    scratch = try Scratch()
    store = LastUsedStore(paths: scratch.paths, files: try .forTests())
    let server = Fingerprint(digest: Array(repeating: 1, count: 32))
    workspace = try #require(WorkspaceReference(serverID: server, workspaceID: "ws-1"))
  }

  @Test("what was used last is remembered", arguments: [nil, "session_1"])
  func roundTrip(sessionID: String?) throws {
    #expect(store.load() == nil)
    try store.store(.init(workspace: workspace, sessionID: "another"))
    try store.store(.init(workspace: workspace, sessionID: sessionID))
    #expect(store.load() == .init(workspace: workspace, sessionID: sessionID))
  }

  @Test(
    "a file that is of no use is as good as none",
    arguments: ["", "[]", "{}", "{\"workspace\": \"x\"}", "{\"workspace\": 7}"]
  )
  func useless(text: String) throws {
    try scratch.write(text, to: scratch.paths.lastUsedFile)
    #expect(store.load() == nil)
    try store.store(.init(workspace: workspace, sessionID: nil))
    #expect(store.load()?.workspace == workspace)
  }

  @Test("a session that could not stand in a path is left out")
  func sessionID() throws {
    let text = "{\"workspace\": \"\(workspace)\", \"sessionId\": \"../x\"}"
    try scratch.write(text, to: scratch.paths.lastUsedFile)
    #expect(store.load() == .init(workspace: workspace, sessionID: nil))
  }
}
