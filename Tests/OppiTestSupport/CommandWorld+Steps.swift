// SPDX-License-Identifier: MIT

import OppiModel
import OppiText
import OppiWire
import Simulation
import Testing

@testable import OppiClient
@testable import OppiSystem

extension World {
  /// The ids of the pending requests, in the order of the list.
  func requestIDs(_ words: String...) async -> [String] {
    let outcome = await oppi(["approvals"] + words)
    return outcome.lines.compactMap { $0.split(separator: "\t").first.map(String.init) }
  }

  /// Creates a session with a prompt that makes it wait, and returns it with the id of the request.
  func waiting(asking prompt: String) async throws -> (session: String, id: String) {
    let session = try await self.session(asking: prompt)
    return (session, try #require(await requestIDs().first))
  }

  func request(asking prompt: String) async throws -> String {
    try await waiting(asking: prompt).id
  }
}

extension World {
  /// Ends a server whose workspaces are cached.
  func lose(_ server: VirtualServer) async {
    _ = await oppi("workspaces")
    await server.end(.inOrder)
  }

  /// Ends a server, and queues a prompt for it with the key `k`.
  func keep(_ prompt: String, for server: VirtualServer) async {
    await lose(server)
    _ = await oppi("ask", "--queue", "--key", "k", "-w", "demo", prompt)
  }

  /// Writes a snapshot of a server, as `oppi watch` does.
  func keep(_ sessions: [SessionStatus], of server: VirtualServer) {
    guard let id = server.reference?.serverID else { return }
    let now = loop.timestamp()
    let sessions = sessions.map { session in
      var session = session
      session.lastActivity = now
      return session
    }
    let status = ServerStatus(id: id, name: server.name, contactAt: now, sessions: sessions)
    disk.put(
      FleetStatus(at: now, servers: [status]).json.bytes(),
      at: XDGPaths(environment: [:], home: Self.home).statusFile
    )
  }
}

extension QueuedPrompt.Target {
  /// A new session in the workspace demo of the server studio.
  static func demo(on serverID: Fingerprint) -> QueuedPrompt.Target {
    var target = QueuedPrompt.Target(on: serverID, named: "studio")
    (target.workspaceID, target.workspaceName) = ("demo0001", "demo")
    return target
  }
}

extension Simulation.Program.Outcome {
  /// The findings of a check of `oppi doctor`, as `state: message`.
  func findings(of check: String) -> [String] {
    (json["findings"].array ?? []).filter { $0["check"].string == check }
      .map { "\($0["state"].string ?? ""): \($0["message"].string ?? "")" }
  }
}

extension World {
  /// The file of the access tokens.
  static let tokenFile = "\(World.home)/.local/state/oppi/access-tokens.json"
}
