// SPDX-License-Identifier: MIT

import OppiText
import OppiWire
import Testing

@testable import Oppi
@testable import OppiClient
@testable import OppiTestSupport

@Suite struct OpenNewSessionTests {
  // MARK: - The session

  @Test("a session is created in the workspace and stored as the last used session")
  func opens() {
    inFlowWorld(["studio", "attic"]) { home in
      let reference = try home.reference(1, 1)
      let session = try await home.opening().open(in: reference)
      #expect(session.server.name == "attic")
      #expect(session.workspaceID == reference.workspaceID)
      #expect(session.workspaceName == "webapp")
      #expect(await home.sessions() == [session.id])
      #expect(try home.history.lastUsed() == .init(workspace: reference, sessionID: session.id))
    }
  }

  // MARK: - The launch target

  @Test("a recent launch target is opened and removed")
  func recent() {
    inFlowWorld(["studio", "attic"]) { home in
      let reference = try home.reference(0, 1)
      try home.targets.write(home.target(reference, age: 1))
      let session = try await home.opening().open(claiming: home.targets)
      #expect(await home.sessions() == [session.id])
      #expect(session.workspaceID == reference.workspaceID)
      await Self.expectNoTarget(home)
      #expect(home.launchFiles == [])
    }
  }

  @Test("a stale launch target is discarded, and the error has its age")
  func stale() {
    inFlowWorld(["studio", "attic"]) { home in
      try home.targets.write(home.target(home.reference(), age: 1000))
      await Self.expect("the launch target is 16 min old and was discarded") {
        _ = try await home.opening().open(claiming: home.targets)
      }
      await Self.expectNoTarget(home)
      #expect(home.launchFiles == [])
      #expect(home.requests == [[], []])
    }
  }

  @Test("a launch target whose session cannot be created stays claimed")
  func abandoned() {
    inFlowWorld(["studio", "attic"]) { home in
      let id = home.paired[0].id
      let reference = try #require(WorkspaceReference(serverID: id, workspaceID: "gone"))
      try home.targets.write(home.target(reference, age: 1))
      await Self.expect("no workspace 'gone'") {
        _ = try await home.opening().open(claiming: home.targets)
      }
      await Self.expect("no launch target") {
        _ = try await home.opening().open(claiming: home.otherTargets)
      }
      #expect(home.launchFiles.count == 1)
    }
  }

  // MARK: - Errors

  private static func expectNoTarget(_ home: FlowWorld) async {
    await expect("no launch target") {
      _ = try await home.opening().open(claiming: home.targets)
    }
  }

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

extension FlowWorld {
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
