// SPDX-License-Identifier: MIT

import Foundation
import OppiSystem
import OppiWire
import TestSupport
import Testing

@testable import OppiClient

@Suite struct LastUsedTests {
  private let scratch: Scratch
  private let workspace: WorkspaceReference

  init() throws {
    scratch = try Scratch()
    let server = Fingerprint(digest: Array(repeating: 1, count: 32))
    workspace = try #require(WorkspaceReference(serverID: server, workspaceID: "ws-1"))
  }

  private func load() throws -> LastUsed? {
    try AskHistoryFile(paths: scratch.paths, files: .forTests()).lastUsed()
  }

  private func store(_ lastUsed: LastUsed...) throws {
    try onLoop { [paths = scratch.paths] loop in
      let history = AskHistoryFile(paths: paths, files: FileStore(loop: loop))
      for use in lastUsed { try await history.use(use) }
    }
  }

  @Test("the last workspace and session are stored", arguments: [nil, "session_1"])
  func roundTrip(sessionID: String?) throws {
    #expect(try load() == nil)
    try store(
      .init(workspace: workspace, sessionID: "another"),
      .init(workspace: workspace, sessionID: sessionID)
    )
    #expect(try load() == .init(workspace: workspace, sessionID: sessionID))
  }

  @Test(
    "an unusable file of an earlier version counts as missing",
    arguments: ["", "[]", "{}", "{\"workspace\": \"x\"}", "{\"workspace\": 7}"]
  )
  func useless(text: String) throws {
    try scratch.write(text, to: scratch.paths.lastUsedFile)
    #expect(try load() == nil)
    try store(.init(workspace: workspace, sessionID: nil))
    #expect(try load()?.workspace == workspace)
  }

  @Test("an unreadable file is an error")
  func unreadable() throws {
    try scratch.makeFolder(scratch.paths.historyFile)
    #expect(throws: FileError.self) { try load() }
    try FileManager.default.removeItem(atPath: scratch.paths.historyFile)
    try scratch.makeFolder(scratch.paths.lastUsedFile)
    #expect(throws: FileError.self) { try load() }
  }

  @Test("a value of an earlier version is used until the next one is stored")
  func earlier() throws {
    let text = "{\"workspace\": \"\(workspace)\", \"sessionId\": \"../x\"}"
    try scratch.write(text, to: scratch.paths.lastUsedFile)
    #expect(try load() == .init(workspace: workspace, sessionID: nil))
    try store(.init(workspace: workspace, sessionID: "new"))
    #expect(try load()?.sessionID == "new")
    #expect(!FileManager.default.fileExists(atPath: scratch.paths.lastUsedFile))
  }
}
