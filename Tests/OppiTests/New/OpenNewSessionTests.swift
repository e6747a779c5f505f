// SPDX-License-Identifier: MIT

import EventLoop
import FakeServer
import OppiModel
import OppiSystem
import OppiTransport
import TestSupport
import Testing

@testable import Oppi

@Suite struct OpenNewSessionTests {
  private let home: PairedHome

  init() throws {
    home = try PairedHome(["studio", "attic"])
  }

  /// The requests that each server received, in server order.
  private var requests: [[String]] {
    home.servers.map { $0.journal.requests.map { "\($0.method) \($0.path)" } }
  }

  // MARK: - The workspace

  @Test("a named workspace takes precedence over the last used workspace")
  func named() throws {
    let used = try home.reference(0, 0)
    let found = try home.run { desk in
      try await desk.lastUsed.store(.init(workspace: used, sessionID: nil))
      return try await desk.opening().workspace(named: "attic/web", on: desk.paired)
    }
    #expect(try found == home.reference(1, 1))
  }

  @Test("an unknown workspace name is an error that lists the known workspaces")
  func unknown() throws {
    try home.run { desk in
      do throws(OppiError) {
        _ = try await desk.opening().workspace(named: "cellar", on: desk.paired)
        Issue.record("found")
      } catch {
        #expect(error.message == "no workspace 'cellar'")
        let known = ["attic/demo", "attic/webapp", "studio/demo", "studio/webapp"]
        let hint = error.hints.first ?? ""
        #expect(hint.hasPrefix("available: ") && known.allSatisfy { hint.contains($0) })
      }
    }
  }

  @Test("without a name, the last used workspace is taken without a request")
  func lastUsed() throws {
    let used = try home.reference(1, 1)
    let found = try home.run { desk in
      try await desk.lastUsed.store(.init(workspace: used, sessionID: "abc"))
      return try await desk.opening().workspace(named: nil, on: desk.paired)
    }
    #expect(found == used)
    #expect(requests == [[], []])
  }

  @Test("without a last used workspace, the first server is queried once for its first workspace")
  func first() throws {
    let found = try home.run { desk in
      let opening = desk.opening()
      let found = try await opening.workspace(named: nil, on: desk.paired)
      return [found, try await opening.workspace(named: nil, on: desk.paired)]
    }
    #expect(try found == Array(repeating: home.reference(0, 0), count: 2))
    #expect(requests == [["GET /workspaces"], []])
  }

  @Test("a last used workspace on an unpaired server is skipped")
  func unpaired() throws {
    let used = try home.reference(0, 1)
    let found = try home.run { desk in
      try await desk.lastUsed.store(.init(workspace: used, sessionID: nil))
      return try await desk.opening().workspace(named: nil, on: [desk.paired[1]])
    }
    #expect(try found == home.reference(1, 0))
  }

  @Test("a workspace lookup without servers fails as not paired")
  func notPaired() throws {
    try home.run { desk in
      await Self.expect("not paired with any server") {
        _ = try await desk.opening(on: []).workspace(named: nil, on: [])
      }
    }
  }

  @Test("a failure of the first server is the error even if another server has workspaces")
  func unreachable() throws {
    try home.run(withoutTokens: ["studio"]) { desk in
      await Self.expect("no token for studio") {
        _ = try await desk.opening().workspace(named: nil, on: desk.paired)
      }
    }
  }

  // MARK: - The session

  @Test("a session is created in the workspace and stored as the last used session")
  func opens() throws {
    let reference = try home.reference(1, 1)
    try home.run { desk in
      let session = try await desk.opening().open(in: reference)
      #expect(session.server.name == "attic")
      #expect(session.workspaceID == reference.workspaceID)
      #expect(session.workspaceName == "webapp")
      #expect(await desk.sessions() == [session.id])
      #expect(try desk.lastUsed.load() == .init(workspace: reference, sessionID: session.id))
    }
  }

  // MARK: - The launch target

  @Test("without a launch target there is nothing to claim")
  func noTarget() throws {
    try home.run { desk in
      await Self.expect("no launch target") {
        _ = try await desk.opening().open(claiming: desk.targets)
      }
    }
    #expect(requests == [[], []])
  }

  @Test("a recent launch target is opened and removed")
  func recent() throws {
    let reference = try home.reference(0, 1)
    try home.run { desk in
      try desk.targets.write(desk.target(reference, age: 1))
      let session = try await desk.opening().open(claiming: desk.targets)
      #expect(await desk.sessions() == [session.id])
      #expect(session.workspaceID == reference.workspaceID)
      await Self.expect("no launch target") {
        _ = try await desk.opening().open(claiming: desk.targets)
      }
    }
    #expect(home.launchFiles == [])
  }

  @Test("a stale launch target is discarded, and the error has its age")
  func stale() throws {
    let reference = try home.reference()
    try home.run { desk in
      try desk.targets.write(desk.target(reference, age: 1000))
      await Self.expect("the launch target is 16 min old and was discarded") {
        _ = try await desk.opening().open(claiming: desk.targets)
      }
      await Self.expect("no launch target") {
        _ = try await desk.opening().open(claiming: desk.targets)
      }
    }
    #expect(home.launchFiles == [])
    #expect(requests == [[], []])
  }

  @Test("a launch target whose session cannot be created stays claimed")
  func abandoned() throws {
    let reference = try #require(
      WorkspaceReference(serverID: home.paired[0].id, workspaceID: "gone")
    )
    try home.run { desk in
      try desk.targets.write(desk.target(reference, age: 1))
      await Self.expect("no workspace 'gone'") {
        _ = try await desk.opening().open(claiming: desk.targets)
      }
      await Self.expect("no launch target") {
        _ = try await desk.opening().open(claiming: desk.otherTargets)
      }
    }
    #expect(home.launchFiles.count == 1)
  }

  @Test("exactly one of two programs that claim a launch target at once gets it")
  func twoClaims() throws {
    let reference = try home.reference()
    let (opened, sessions) = try home.run { desk in
      try desk.targets.write(desk.target(reference, age: 1))
      async let one = Self.outcome { try await desk.opening().open(claiming: desk.targets).id }
      async let other = Self.outcome {
        try await desk.opening().open(claiming: desk.otherTargets).id
      }
      return (await [one, other], await desk.sessions())
    }
    #expect(sessions.count == 1)
    #expect(opened.sorted() == (sessions + ["no launch target"]).sorted())
    #expect(home.launchFiles == [])
  }

  // MARK: - Errors

  private static func expect(_ word: String, _ body: () async throws -> Void) async {
    let outcome = await outcome {
      try await body()
      return "success"
    }
    #expect(outcome == word)
  }

  /// The result of the body, or a short name of its error.
  private static func outcome(_ body: () async throws -> String) async -> String {
    do {
      return try await body()
    } catch let error as OppiError {
      return error.message
    } catch {
      return "\(error)"
    }
  }
}

extension PairedHome.Desk {
  /// A launch target that was written `age` seconds ago.
  fileprivate func target(_ workspace: WorkspaceReference, age: Int) -> LaunchTarget {
    let now = connections.loop.timestamp()
    return LaunchTarget(workspace: workspace, timestamp: Timestamp(seconds: now.seconds - age))
  }
}

extension OpenNewSession {
  /// Claims a launch target, opens a session for it and settles the claim.
  fileprivate func open(
    claiming targets: LaunchTargetStore
  ) async throws(OppiError) -> ServerSession {
    let claim = try claim(from: targets)
    let session = try await open(in: claim.target.workspace)
    claim.settle()
    return session
  }
}
