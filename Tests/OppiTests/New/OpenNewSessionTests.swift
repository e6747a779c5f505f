// SPDX-License-Identifier: MIT

import OppiModel
import Simulation
import Testing

@testable import Oppi

@Suite struct OpenNewSessionTests {
  /// A home with two servers, studio and attic.
  private static func inHome(
    withoutTokens strangers: Set<String> = [],
    _ body: @escaping @Sendable (FlowWorld) async throws -> Void
  ) {
    inFlowWorld(["studio", "attic"], withoutTokens: strangers, { _, _ in }, body)
  }

  // MARK: - The workspace

  @Test("a named workspace takes precedence over the last used workspace")
  func named() {
    Self.inHome { home in
      try await home.history.use(.init(workspace: home.reference(0, 0), sessionID: nil))
      let found = try await home.opening().workspace(named: "attic/web", on: home.paired)
      #expect(try found == home.reference(1, 1))
    }
  }

  @Test("an unknown workspace name is an error that lists the known workspaces")
  func unknown() {
    Self.inHome { home in
      do throws(OppiError) {
        _ = try await home.opening().workspace(named: "cellar", on: home.paired)
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
  func lastUsed() {
    Self.inHome { home in
      let used = try home.reference(1, 1)
      try await home.history.use(.init(workspace: used, sessionID: "abc"))
      #expect(try await home.opening().workspace(named: nil, on: home.paired) == used)
      #expect(home.requests == [[], []])
    }
  }

  @Test("without a last used workspace, the first server is queried once for its first workspace")
  func first() {
    Self.inHome { home in
      let opening = home.opening()
      for _ in 0..<2 {
        let found = try await opening.workspace(named: nil, on: home.paired)
        #expect(try found == home.reference(0, 0))
      }
      #expect(home.requests == [["GET /workspaces"], []])
    }
  }

  @Test("a server without workspaces when it was last asked is asked again")
  func empty() {
    Self.inHome { home in
      await home.list([], of: 0, secondsAgo: 1)
      let found = try await home.opening().workspace(named: nil, on: home.paired)
      #expect(try found == home.reference(0, 0))
      #expect(home.requests == [["GET /workspaces"], []])
    }
  }

  @Test(
    "a name is taken from a list of the last day, and from no older one",
    arguments: [(86_400, []), (86_401, ["GET /workspaces"])] as [(Int, [String])]
  )
  func age(seconds: Int, requests: [String]) {
    Self.inHome { home in
      await home.list(home.server.workspaces, of: 0, secondsAgo: seconds)
      let found = try await home.opening().workspace(named: "studio/demo", on: home.paired)
      #expect(try found == home.reference(0, 0))
      #expect(home.requests == [requests, []])
    }
  }

  @Test("a name is not taken from the list of one server while that of another is too old")
  func oneTooOld() {
    Self.inHome { home in
      await home.list(home.server.workspaces, of: 0, secondsAgo: 1)
      await home.list([], of: 1, secondsAgo: 86_401)
      await Self.expect("'demo' is ambiguous: it matches several workspaces") {
        _ = try await home.opening().workspace(named: "demo", on: home.paired)
      }
      #expect(home.requests == [["GET /workspaces"], ["GET /workspaces"]])
    }
  }

  @Test("a last used workspace on an unpaired server is skipped")
  func unpaired() {
    Self.inHome { home in
      try await home.history.use(.init(workspace: home.reference(0, 1), sessionID: nil))
      let found = try await home.opening().workspace(named: nil, on: [home.paired[1]])
      #expect(try found == home.reference(1, 0))
    }
  }

  @Test("a workspace lookup without servers fails as not paired")
  func notPaired() {
    Self.inHome { home in
      await Self.expect("not paired with any server") {
        _ = try await home.opening(on: []).workspace(named: nil, on: [])
      }
    }
  }

  @Test("a failure of the first server is the error even if another server has workspaces")
  func unreachable() {
    Self.inHome(withoutTokens: ["studio"]) { home in
      await Self.expect("no token for studio") {
        _ = try await home.opening().workspace(named: nil, on: home.paired)
      }
    }
  }

  // MARK: - The session

  @Test("a session is created in the workspace and stored as the last used session")
  func opens() {
    Self.inHome { home in
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

  @Test("without a launch target there is nothing to claim")
  func noTarget() {
    Self.inHome { home in
      await Self.expectNoTarget(home)
      #expect(home.requests == [[], []])
    }
  }

  @Test("a recent launch target is opened and removed")
  func recent() {
    Self.inHome { home in
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
    Self.inHome { home in
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
    Self.inHome { home in
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

  @Test("exactly one of two programs that claim a launch target at once gets it")
  func twoClaims() {
    Self.inHome { home in
      try home.targets.write(home.target(home.reference(), age: 1))
      async let one = Self.outcome { try await home.opening().open(claiming: home.targets).id }
      async let other = Self.outcome {
        try await home.opening().open(claiming: home.otherTargets).id
      }
      let (opened, sessions) = (await [one, other], await home.sessions())
      #expect(sessions.count == 1)
      #expect(opened.sorted() == (sessions + ["no launch target"]).sorted())
      #expect(home.launchFiles == [])
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
  /// Stores the workspaces that a server listed some time ago.
  fileprivate func list(_ workspaces: [Workspace], of server: Int, secondsAgo age: Int) async {
    let then = connections.loop.timestamp().moved(by: .seconds(-age))
    let entry = WorkspaceCache.Entry(fetchedAt: then, workspaces: workspaces)
    await context.workspaceQuery.cache.store([paired[server].id: entry])
  }

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
