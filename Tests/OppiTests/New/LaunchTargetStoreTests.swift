// SPDX-License-Identifier: MIT

import Glibc
import OppiSystem
import OppiText
import OppiWire
import TestSupport
import Testing

@testable import Oppi

@Suite("LaunchTargetStore")
struct LaunchTargetStoreTests {
  private let scratch: Scratch
  private let store: LaunchTargetStore
  private let target: LaunchTarget

  init() throws {
    scratch = try Scratch()
    store = LaunchTargetStore(paths: scratch.paths, files: try .forTests())
    let server = Fingerprint(digest: Array(repeating: 1, count: 32))
    let workspace = try #require(WorkspaceReference(serverID: server, workspaceID: "ws-1"))
    target = LaunchTarget(workspace: workspace, timestamp: Timestamp(seconds: 1_700_000_000))
  }

  private var path: String { scratch.paths.launchTargetFile }

  @Test("a target is claimed once")
  func claim() throws {
    #expect(try store.claim()?.target == nil)
    try store.write(target)
    #expect(scratch.mode(path) == 0o600)
    #expect(try store.claim()?.target == target)
    #expect(try store.claim()?.target == nil)
  }

  @Test("a later target replaces an unclaimed one")
  func replaced() throws {
    var later = target
    later.timestamp = Timestamp(seconds: 1_700_000_009)
    try store.write(target)
    try store.write(later)
    #expect(try store.claim()?.target == later)
  }

  @Test("a settled claim leaves no file")
  func settled() throws {
    try store.write(target)
    let claim = try #require(try store.claim())
    #expect(scratch.names(in: ".local/state/oppi").count == 1)
    claim.settle()
    #expect(scratch.names(in: ".local/state/oppi").isEmpty)
  }

  @Test("a target of a later version is not replaced")
  func newer() throws {
    try scratch.write(#"{"version":2}"#, to: path)
    #expect(throws: FileError.newerVersion(path: path, version: 2)) { try store.write(target) }
    #expect(scratch.read(path) == #"{"version":2}"#)
  }

  /// The abandoned targets one second after the time of a launch.
  private func takeAbandoned() -> [Result<LaunchTarget, FileError>] {
    store.takeAbandoned(at: target.timestamp.moved(by: .seconds(61)))
  }

  /// Writes the target to a file that no other process of the tests has inherited with its lock.
  private func write(to path: String) throws {
    try store.write(target)
    let text = try #require(scratch.read(self.path))
    try #require(unlink(self.path) == 0)
    try scratch.write(text, to: path)
  }

  // No process has an id of `pid_t.max`; process 1 is always running.
  @Test(
    "an abandoned claim is returned once, even if its id is in use again",
    arguments: [pid_t.max, 1]
  )
  func abandoned(id: pid_t) throws {
    try write(to: "\(path).\(id)")
    let isRunning = id == 1
    if isRunning { #expect(store.takeAbandoned(at: target.timestamp) == []) }
    #expect(takeAbandoned() == [.success(target)])
    #expect(takeAbandoned() == [])
    #expect(scratch.names(in: ".local/state/oppi").isEmpty)
  }

  @Test("a claim of a running launch is kept, even if its process is out of sight")
  func running() throws {
    try write(to: path)
    let claim = try store.claim()
    #expect(store.takeAbandoned(at: target.timestamp) == [])
    try #require(rename("\(path).\(getpid())", "\(path).\(pid_t.max)") == 0)
    withExtendedLifetime(claim) { #expect(takeAbandoned() == []) }
  }

  @Test("an invalid abandoned claim is reported once, and an unreadable one is kept")
  func abandonedTrouble() throws {
    let abandoned = "\(path).\(pid_t.max)"
    try scratch.write("{", to: abandoned)
    guard case .failure(.corrupt(abandoned, _))? = takeAbandoned().first else {
      Issue.record("not told")
      return
    }
    #expect(takeAbandoned().isEmpty)
    try scratch.write("{}", to: abandoned)
    guard case .failure(.unusable(abandoned, _))? = takeAbandoned().first else {
      Issue.record("not told")
      return
    }
    #expect(takeAbandoned().isEmpty)
    try scratch.write("{}", to: abandoned, mode: 0o666)
    for _ in 0..<2 {
      #expect(
        takeAbandoned()
          == [.failure(.unsafeMode(path: abandoned, mode: 0o666, needed: "go-w"))]
      )
    }
    #expect(scratch.names(in: ".local/state/oppi").count == 1)
  }

  @Test(
    "an invalid file is an error once and is then removed",
    arguments: [
      "{}", "[]", "{\"", String(repeating: " ", count: 5000),
      """
      {"serverId": "sha256:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "workspaceId": "w",
      "timestamp": "9223372036854775807-01-01T00:00:00Z"}
      """,
    ]
  )
  func unusable(text: String) throws {
    try scratch.write(text, to: path)
    #expect(throws: FileError.self) { try store.claim() }
    #expect(try store.claim()?.target == nil)
    #expect(scratch.names(in: ".local/state/oppi").isEmpty)
  }

  @Test("a target that others could have written is put back, and the error names its path")
  func unsafeTarget() throws {
    try store.write(target)
    try #require(chmod(path, 0o666) == 0)
    #expect(throws: FileError.unsafeMode(path: path, mode: 0o666, needed: "go-w")) {
      try store.claim()
    }
    try #require(chmod(path, 0o600) == 0)
    #expect(try store.claim()?.target == target)
  }
}
