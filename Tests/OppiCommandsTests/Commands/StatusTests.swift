// SPDX-License-Identifier: MIT

import LoopbackServer
import OppiIntents
import OppiModel
import OppiRendering
import OppiSystem
import Simulation
import TestSupport
import Testing

/// `oppi status`, once.
@Suite struct StatusTests {
  private static let bars = StatusFormat.all.filter(\.isBar)

  @Test("where nobody keeps a snapshot the servers are asked")
  func asks() {
    inWorld { world, server in
      let idle = await world.oppi("status")
      #expect(idle.status == 0 && idle.output == "● Idle\n" && idle.errors.isEmpty, "\(idle)")
      let id = try await world.session(asking: "silent")
      let busy = await world.oppi("status", "--json")
      #expect(busy.status == 0, "\(busy)")
      #expect(busy.json["status"] == "processing" && busy.json["session"]["id"].string == id)
      #expect(busy.json["session"]["server"]["name"] == "studio", "\(busy)")
      #expect(busy.json["sessions"]["running"] == 1 && busy.json["unreachable"] == [])
      #expect(busy.json["stale"] == false && busy.json["ageSeconds"] == 0)
    }
  }

  @Test("how long a turn takes is not told where the server does not say when it began")
  func elapsed() {
    inWorld {
      $0.pace = .seconds(60)
    } _: { world, server in
      _ = try await world.session(asking: "hello")
      let status = await world.oppi("status", "--json")
      #expect(status.json["status"] == "processing", "\(status)")
      #expect(status.json["elapsedSeconds"] == .null, "\(status)")
    }
  }

  @Test(
    "sessions that cannot be looked at are neutral, and no bar waits for longer",
    arguments: bars
  )
  func slow(format: StatusFormat) {
    let trouble = Trouble()
    inWorld {
      $0.interceptor = trouble.interceptor
      $0.limits.loadedSessionsPerWorkspace = 20
      $0.limits.loadedSessions = 20
    } _: { world, _ in
      for _ in 1...10 { _ = try await world.session(asking: "hello") }
      trouble.begin { $0.isRequest("events?since=0") ? .hang : .proceed }
      let outcome = await world.oppi("status", "--format", format.name)
      #expect(outcome.output.contains("idle") && !outcome.output.contains("✓"), "\(outcome)")
      #expect(outcome.elapsed <= .seconds(5), "\(outcome)")
    }
  }

  @Test("a request that waits is seen, with its session, and is urgent to i3blocks")
  func approval() {
    inWorld { world, _ in
      let id = try await world.session(asking: "deploy")
      let json = await world.oppi("status", "--json")
      #expect(json.status == 0 && json.json["status"] == "awaitingApproval", "\(json)")
      #expect(json.json["session"]["id"].string == id && json.json["session"]["state"] == "waiting")
      #expect(json.json["approval"]["tool"] == "bash" && json.json["pendingApprovals"] == 1)
      let bar = await world.oppi("status", "--format", "i3blocks")
      #expect(bar.status == 33 && bar.lines.first?.hasPrefix("! approval") == true, "\(bar)")
    }
  }

  @Test("where somebody keeps a snapshot no server is asked, in no format", arguments: bars)
  func snapshot(format: StatusFormat) {
    inWorld { world, server in
      let request = PendingApproval.sample("it", .high)
      world.keep([.sample("s", .waiting, approvals: [request])], of: server)
      let before = server.requests.count
      let bar = await world.oppi("status", "--format", format.name)
      #expect(bar.output.contains("approval") && bar.errors.isEmpty, "\(bar)")
      #expect(bar.status == (format.name == "i3blocks" ? 33 : 0), "\(bar)")
      let json = await world.oppi("status", "--json")
      #expect(json.status == 0 && json.json["approval"]["summary"] == "make it", "\(json)")
      #expect(json.json["pendingApprovals"] == 1 && json.json["status"] == "awaitingApproval")
      let same = await world.oppi("status", "--format", "json")
      #expect(same.json == json.json, "\(same)")
      #expect(server.requests.count == before)
    }
  }

  @Test("an old snapshot counts only for a server that cannot be asked")
  func oldSnapshot() {
    inWorld { world, server in
      world.keep([.sample("s", .running)], of: server)
      try await world.pass(.seconds(100))
      #expect(await world.oppi("status").output == "● Idle\n")
      await server.end(.inOrder)
      let lost = await world.oppi("status", "--json")
      #expect(lost.status == 0 && lost.json["status"] == "processing", "\(lost)")
      #expect(lost.json["unreachable"].array?.first?["server"] == "studio", "\(lost)")
      try await world.pass(.seconds(300))
      let offline = await world.oppi("status")
      #expect(offline.status == 0, "\(offline)")
      #expect(offline.lines.first == "○ Offline  6 min", "\(offline)")
    }
  }

  @Test("a server that says nothing is offline, in time, and the line is there", arguments: bars)
  func hangs(format: StatusFormat) {
    inWorld {
      $0.interceptor = { $0.isRequest ? .hang : .proceed }
    } _: { world, _ in
      let outcome = await world.oppi("status", "--format", format.name)
      #expect(outcome.status == 0 && outcome.output.contains("offline"), "\(outcome)")
      #expect(outcome.elapsed <= .seconds(5), "\(outcome)")
    }
  }

  @Test("where nothing is paired it says so; to a bar that is no failure")
  func notPaired() {
    inWorld(isPaired: false) { world, _ in
      for format in Self.bars {
        let outcome = await world.oppi("status", "--format", format.name)
        #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome)")
        #expect(outcome.output.contains("not paired"), "\(outcome)")
      }
      let text = await world.oppi("status")
      #expect(text.status == 78 && text.lines.first == "+ Not paired", "\(text)")
      let json = await world.oppi("status", "--json")
      #expect(json.status == 78 && json.json["status"] == "notPaired", "\(json)")
      #expect(json.error["code"] == "not-paired", "\(json)")
    }
  }

  @Test("a damaged file is told in the line of a bar, and to others as ever")
  func damaged() {
    inWorld { world, _ in
      world.damageServers()
      for format in Self.bars {
        let outcome = await world.oppi("status", "--format", format.name)
        #expect(outcome.status == 0 && outcome.output.contains("✗ error"), "\(outcome)")
        #expect(outcome.errors.contains("servers.json"), "\(outcome)")
      }
      let text = await world.oppi("status")
      #expect(text.status == 78 && text.output.isEmpty, "\(text)")
    }
  }

  @Test("--server looks at that server alone, also in the snapshot")
  func server() {
    inWorld { world, server in
      var other = LoopbackServer.Configuration()
      other.name = "office"
      let office = try await world.addServer(other)
      world.keep([.sample("s", .running)], of: server)
      let studio = await world.oppi("status", "--server", "studio", "--presentation", "compact")
      #expect(studio.output == "▶ running\n", "\(studio)")
      // It is not in the snapshot, and so is asked.
      let idle = await world.oppi("status", "--server", "office")
      #expect(idle.output == "● Idle\n" && !office.requests.isEmpty, "\(idle)")
      let unknown = await world.oppi("status", "--server", "nobody")
      #expect(unknown.status == 66 && unknown.output.isEmpty, "\(unknown)")
    }
  }

  @Test("each presentation can be had of each format")
  func presentations() {
    inWorld { world, server in
      world.keep([.sample("s", .running)], of: server)
      for presentation in StatusPresentation.allCases {
        let outcome = await world.oppi("status", "--presentation", presentation.rawValue)
        let lines = ["▶", "▶ running", "▶ Processing: webapp on studio"]
        #expect(lines.contains(outcome.lines.first ?? ""), "\(outcome)")
        let tmux = await world.oppi(
          "status",
          "--format",
          "tmux",
          "--presentation",
          presentation.rawValue
        )
        #expect(tmux.lines.count == 1, "\(tmux)")
      }
    }
  }
}

extension World {
  private static var paths: XDGPaths { XDGPaths(environment: [:], home: home) }

  /// Makes the list of the paired servers one that cannot be read.
  func damageServers() {
    disk.put(Array("{".utf8), at: Self.paths.serversFile)
  }

  /// Leaves a snapshot of one server as somebody would who watches it.
  func keep(_ sessions: [SessionStatus], of server: VirtualServer) {
    guard let id = server.reference?.serverID else { return }
    let now = loop.timestamp()
    let sessions = sessions.map { session in
      var session = session
      session.lastActivity = now
      return session
    }
    let status = ServerStatus(id: id, name: server.name, contactAt: now, sessions: sessions)
    disk.put(FleetStatus(at: now, servers: [status]).json.bytes(), at: Self.paths.statusFile)
  }
}
