// SPDX-License-Identifier: MIT

import FakeServer
import OppiModel
import OppiSystem
import OppiWire
import Simulation
import Testing

@testable import Oppi
@testable import OppiClient
@testable import OppiTestSupport
@testable import OppiTurns

/// `oppi watch` while the list of paired servers changes or cannot be read.
@Suite struct WatchChangeTests {
  private static func pairAttic(in world: World) async throws {
    _ = try await world.addServer(named: "attic")
  }

  @Test("a delivery continues when another server is paired")
  func delivery() {
    inTroubledWorld { world, server, trouble in
      await world.keep("hello", for: server)
      try server.start()
      // The server reports its uptime in whole seconds.
      try await world.pass()
      trouble.at("/workspaces/qX3dEmo0/sessions", .hang)
      let watching = try await Watching(in: world)
      try await Self.pairAttic(in: world)
      try await world.pass(.seconds(4))
      trouble.end()
      try await world.pass(.seconds(300))
      #expect(server.heard == ["hello"])
      let outcome = await watching.end()
      #expect(outcome.output.contains("k\tdelivered\tstudio/"), "\(outcome)")
    }
  }

  @Test("the desktop is used if another server is paired while it is connecting")
  func desktop() {
    inWorld { world, server in
      let watching = try await Watching(in: world, connectTime: .seconds(8))
      try await Self.pairAttic(in: world)
      try await world.pass(.seconds(20))
      _ = await world.oppi("ask", "-q", "-w", "studio/demo", "deploy")
      try await world.pass()
      #expect(watching.summaries == ["Waiting for approval: studio/demo"])
    }
  }

  @Test("the result of a decision is shown when another server is paired meanwhile")
  func decision() {
    inTroubledWorld { world, server, trouble in
      let watching = try await Watching(in: world, asking: "deploy")
      let notification = try #require(watching.desktop.shown.first)
      trouble.at("/command", .hang)
      try await Self.pairAttic(in: world)
      #expect(watching.desktop.press("Yes", on: notification))
      try await world.pass(.seconds(20))
      #expect(watching.count(of: "Answer not confirmed") == 1)
      // The request is still pending and can be decided.
      #expect(watching.count(of: notification.summary) == 2)
      trouble.end()
      // Buttons count only after the notification could be read.
      try await world.pass(.seconds(2))
      let again = try #require(watching.desktop.shown.last { $0.tag == notification.tag })
      #expect(watching.desktop.press("Yes", on: again))
      try await world.pass()
      #expect(watching.count(of: "Answered: Yes") == 1, "\(watching.desktop.history)")
    }
  }

  @Test("the failure of each server is reported once, and again only after it was available")
  func failures() {
    inWorld { world, studio in
      let attic = try await world.addServer(named: "attic")
      let watching = try await Watching(in: world)
      await studio.end(.killed)
      try await world.pass(.seconds(90))
      await attic.end(.killed)
      try await world.pass(.seconds(90))
      try studio.start()
      try await world.pass(.seconds(90))
      await studio.end(.killed)
      try await world.pass(.seconds(90))
      let lines = await watching.end().errorLines
      let back = lines.filter { $0.contains("is available again") }
      #expect(back.count == 1 && back[0].contains("studio"), "\(lines)")
      #expect(lines.count { $0.contains("studio") } == 3, "\(lines)")
      #expect(lines.count { $0.contains("attic") } == 1, "\(lines)")
    }
  }

  @Test("a reply with an unknown result is settled by an answer of its own server only")
  func unsettled() {
    inFlowWorld(["studio", "attic"]) { home in
      var service = WatchService(WatchRules(), of: { home.paired }, in: home.context)
      service.forgetServers(besides: home.paired)
      let places = home.paired.map { SessionID(serverID: $0.id, sessionID: "S") }
      service.unsettled = [places[0]]
      for (index, isSettled) in [(1, false), (0, true)] {
        let server = home.paired[index]
        let fleet = home.context.fleet(of: [server])
        let answers = try await fleet.overviews(.requests, known: EndedTurns())
        await service.take(try #require(answers.first).result, of: server)
        #expect(service.unsettled.isEmpty == isSettled, "\(server.name)")
      }
    }
  }

  @Test("a press while the server list is unreadable decides nothing, and is offered again")
  func unreadable() {
    inWorld { world, server in
      let path = "\(World.home)/.config/oppi/servers.json"
      let list = try #require(world.disk.contents(of: path))
      let watching = try await Watching(in: world, asking: "deploy")
      let notification = try #require(watching.desktop.shown.first)
      world.disk.put(Array("{".utf8), at: path)
      #expect(watching.desktop.press("Yes", on: notification))
      try await world.pass(.seconds(30))
      #expect(server.decisions == 0)
      #expect(watching.summaries.contains { $0.hasPrefix("Not decided: ") })
      #expect(watching.count(of: "No longer pending") == 0)
      let again = try #require(watching.desktop.shown.last { $0.tag == notification.tag })
      world.disk.put(list, at: path)
      #expect(watching.desktop.press("Yes", on: again))
      try await world.pass()
      #expect(watching.count(of: "Answered: Yes") == 1)
      let outcome = await watching.end()
      #expect(outcome.status == 130, "\(outcome)")
      #expect(outcome.errorLines.count { $0.contains("servers.json") } == 1, "\(outcome)")
    }
  }
}
