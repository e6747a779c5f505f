// SPDX-License-Identifier: MIT

import FakeServer
import OppiModel
import OppiSystem
import OppiText
import OppiWire
import Simulation
import TestSupport
import Testing

@testable import OppiTestSupport
@testable import OppiTurns

/// `oppi status` without `--follow`.
@Suite struct StatusTests {
  private static let bars = StatusFormat.all.filter(\.isBar)

  @Test("without a snapshot the servers are queried")
  func asks() {
    inWorld { world, server in
      let idle = await world.oppi("status")
      #expect(idle.status == 0 && idle.output == "● Idle\n" && idle.errors.isEmpty, "\(idle)")
      let id = try await world.session(asking: "silent")
      let busy = await world.oppi("status", "--json", exits: 0)
      #expect(busy.json["status"] == "processing" && busy.json["session"]["id"].string == id)
      #expect(busy.json["session"]["server"]["name"] == "studio", "\(busy)")
      #expect(busy.json["sessions"]["running"] == 1 && busy.json["unreachable"] == [])
      #expect(busy.json["stale"] == false && busy.json["ageSeconds"] == 0)
    }
  }

  @Test("the duration of a turn is omitted if the server does not report its start")
  func elapsed() {
    inWorld(where: \.pace, is: .seconds(60)) { world, server in
      _ = try await world.session(asking: "hello")
      let status = await world.oppi("status", "--json")
      #expect(status.json["status"] == "processing", "\(status)")
      #expect(status.json["elapsedSeconds"] == .null, "\(status)")
    }
  }

  @Test(
    "sessions that cannot be queried are neutral, and no bar waits longer",
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
      trouble.at("events?since=0", .hang)
      let outcome = await world.oppi("status", "--format", format.name)
      #expect(outcome.output.contains("idle") && !outcome.output.contains("✓"), "\(outcome)")
      #expect(outcome.elapsed <= .seconds(5), "\(outcome)")
    }
  }

  @Test("with a snapshot no server is queried, in any format", arguments: bars)
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

  @Test("an old snapshot is used only for an unreachable server")
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
      let offline = await world.oppi("status", exits: 0)
      #expect(offline.lines.first == "○ Offline  last answer to oppi watch 6 min ago", "\(offline)")
    }
  }

  @Test("a server that answered a command after the last watch is not said to be silent since then")
  func answeredSinceWatch() {
    inWorld { world, server in
      world.keep([.sample("s", .running)], of: server)
      try await world.pass(.seconds(600))
      #expect(await world.oppi("status").output == "● Idle\n")
      await server.end(.inOrder)
      let offline = await world.oppi("status", exits: 0)
      #expect(offline.lines.first?.hasSuffix("last answer to oppi watch 10 min ago") == true)
      #expect(!offline.output.contains("no answer for"), "\(offline)")
      let bar = await world.oppi("status", "--presentation", "compact", exits: 0)
      #expect(bar.output == "○ offline (10 min old)\n", "\(bar)")
    }
  }

  @Test("a silent server is shown as offline in time", arguments: bars)
  func hangs(format: StatusFormat) {
    inTroubledWorld { world, _, trouble in
      trouble.begin { $0.isRequest ? .hang : .proceed }
      let outcome = await world.oppi("status", "--format", format.name)
      #expect(outcome.status == 0 && outcome.output.contains("offline"), "\(outcome)")
      #expect(outcome.elapsed <= .seconds(5), "\(outcome)")
    }
  }

  @Test("an unpaired home is shown, and is not a failure for a bar")
  func notPaired() {
    inWorld(isPaired: false) { world, _ in
      for format in Self.bars {
        let outcome = await world.oppi("status", "--format", format.name)
        #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome)")
        #expect(outcome.output.contains("not paired"), "\(outcome)")
      }
      let text = await world.oppi("status")
      #expect(text.status == 78 && text.output.isEmpty, "\(text)")
      #expect(text.errorLines.first == "oppi: not paired with any server", "\(text)")
      let json = await world.oppi("status", "--json")
      #expect(json.status == 78 && json.json["status"] == "notPaired", "\(json)")
      #expect(json.error["code"] == "not-paired", "\(json)")
    }
  }

  @Test("a damaged file is shown in the line of a bar, and fails other formats")
  func damaged() {
    inWorld { world, _ in
      world.damageServers()
      for format in Self.bars {
        let outcome = await world.oppi("status", "--format", format.name)
        #expect(outcome.status == 0 && outcome.output.contains("✗ failed"), "\(outcome)")
        #expect(outcome.errors.contains("servers.json"), "\(outcome)")
      }
      let text = await world.oppi("status")
      #expect(text.status == 78 && text.output.isEmpty, "\(text)")
    }
  }

  @Test("--server shows only that server, also from the snapshot")
  func server() {
    inWorld { world, server in
      let office = try await world.addServer(named: "office")
      world.keep([.sample("s", .running)], of: server)
      let studio = await world.oppi("status", "--server", "studio", "--presentation", "compact")
      #expect(studio.output == "▶ running\n", "\(studio)")
      // The server is not in the snapshot, so it is queried.
      let idle = await world.oppi("status", "--server", "office")
      #expect(idle.output == "● Idle\n" && !office.requests.isEmpty, "\(idle)")
      let unknown = await world.oppi("status", "--server", "nobody")
      #expect(unknown.status == 66 && unknown.output.isEmpty, "\(unknown)")
    }
  }

  @Test("each presentation is available")
  func presentations() {
    inWorld { world, server in
      world.keep([.sample("s", .running)], of: server)
      for presentation in StatusPresentation.allCases {
        let outcome = await world.oppi("status", "--presentation", presentation.rawValue)
        let lines = ["▶", "▶ running", "▶ Running: webapp on studio"]
        #expect(lines.contains(outcome.lines.first ?? ""), "\(outcome)")
        let words = ["status", "--format", "tmux", "--presentation", presentation.rawValue]
        let tmux = await world.oppi(words)
        #expect(tmux.lines.count == 1, "\(tmux)")
      }
    }
  }
}

extension World {
  private static var paths: XDGPaths { XDGPaths(environment: [:], home: home) }

  /// Makes the list of paired servers unreadable.
  func damageServers() {
    disk.put(Array("{".utf8), at: Self.paths.serversFile)
  }
}
