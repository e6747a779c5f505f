// SPDX-License-Identifier: MIT

import OppiIntents
import OppiModel
import OppiRendering

extension HealthCheck {
  /// Whether the servers can be reached as paired, and have room.
  static let servers = HealthCheck(
    name: "servers",
    summary: "paired servers: reachable, certificate, token, clock, room"
  ) { subject in
    let context = subject.context
    do {
      let servers = try context.servers()
      guard !servers.isEmpty else { throw IntentError.notPaired }
      let fleet = context.fleet(of: servers)
      async let identities = fleet.answers { (client, server, deadline) throws(IntentError) in
        try await client.checkIdentity(of: server, until: deadline)
      }
      let answers = try await OverviewQuery(fleet)
        .answers(.turns, known: context.knownTurns)
      let strangers = try await identities.compactMap(\.stranger)
      return servers.flatMap { server -> [Finding] in
        if strangers.contains(server.id) {
          return [.fault(IntentError.otherServer(server: server.name))]
        }
        return answers.first { $0.server.id == server.id }.map(findings) ?? []
      }
    } catch {
      return [.fault(error)]
    }
  }

  private static func findings(_ answer: Fleet.Answer<ServerOverview>) -> [Finding] {
    switch answer.result {
    case .failure(let error): return [.fault(error)]
    case .success(let overview):
      let server = overview.server
      let trust = server.certificatePin == nil ? "" : ", has the pinned certificate"
      let words =
        "\(server.name) answers in \(answer.elapsed.milliseconds) ms\(trust) and takes the token"
      return [.ok(words)] + [exposure(of: server), clock(of: overview)].compactMap(\.self)
        + room(on: overview)
    }
  }

  /// What others on the way can read.
  private static func exposure(of server: PairedServer) -> Finding? {
    guard server.endpoint.scheme == .http, !server.endpoint.isHere else { return nil }
    return .note(
      "\(server.name) is reached without TLS, so whoever is on the way can read the token",
      hints: ["keep it to a private network such as a VPN, or pair again with https"]
    )
  }

  /// Beyond this clocks are told to be apart.
  private static let clockTolerance = Duration.seconds(30)

  private static func clock(of overview: ServerOverview) -> Finding? {
    let offset = overview.clockOffset
    guard max(offset, .zero - offset) > clockTolerance else { return nil }
    let way = offset > .zero ? "behind" : "ahead of"
    let words = ElapsedTime.text(offset > .zero ? offset : .zero - offset)
    return .warning(
      "the clock here is \(words) \(way) that of \(overview.server.name)",
      hints: ["have the clocks set by the network: timedatectl set-ntp true"]
    )
  }

  /// Workspaces that are nearly full.
  private static func room(on overview: ServerOverview) -> [Finding] {
    let loaded = overview.statuses(in: TurnWords()).filter(\.isLoaded)
    let groups = Dictionary(grouping: loaded) { $0.workspaceID ?? "" }
    var findings = groups.sorted { $0.key < $1.key }.compactMap { id, sessions -> Finding? in
      guard LoadLimits.isNearly(sessions.count, LoadLimits.ofWorkspace) else { return nil }
      let name = "\(overview.server.name)/\(sessions[0].workspaceName ?? id)".safeLine(limit: 120)
      return .warning(
        "\(name) has \(sessions.count) sessions loaded of \(LoadLimits.ofWorkspace), unless the server allows more",
        hints: ["end those that are idle: oppi stop --idle -w '\(name)'"]
      )
    }
    if findings.isEmpty, LoadLimits.isNearly(loaded.count, LoadLimits.ofServer) {
      findings.append(
        .warning(
          "\(overview.server.name) has \(loaded.count) sessions loaded of \(LoadLimits.ofServer), unless it allows more",
          hints: [
            "end those that are idle: oppi stop --idle --server '\(overview.server.name)'"
          ]
        )
      )
    }
    return findings
  }
}

extension Fleet.Answer {
  /// The identity of the paired server, where another one answers in its place.
  fileprivate var stranger: Fingerprint? {
    if case .failure(.otherServer) = result { server.id } else { nil }
  }
}

extension Endpoint {
  /// Whether it is on this very machine.
  var isHere: Bool { ["localhost", "127.0.0.1", "::1"].contains(host) }
}
