// SPDX-License-Identifier: MIT

import FakeServer
import OppiText
import OppiWire
import Simulation
import Testing

@testable import OppiTestSupport

/// `oppi watch` on servers with app events.
@Suite struct TodayWatchTests {
  private static func sockets(_ server: VirtualServer) -> [String] {
    server.requests.map(\.path).filter { $0.hasSuffix("/stream") }
  }

  @Test("questions and failures are notified within a second, over one socket")
  func events() {
    inWorld { world, server in
      let session = try await world.session(asking: "hello")
      let before = Self.sockets(server).count
      let watching = try await Watching("--json", in: world)
      try await world.pass(.seconds(60))
      #expect(Self.sockets(server).dropFirst(before) == ["/app/events/stream"])
      _ = await world.oppi("ask", "-q", "-s", session, "empty")
      try await world.pass(.seconds(2))
      #expect(watching.summaries == ["Turn failed: studio/demo"])
      let asking = await world.oppi("ask", "-q", "-w", "webapp", "question")
      try await world.pass(.seconds(2))
      #expect(watching.summaries.contains("Waiting for an answer: studio/webapp"), "\(asking)")
      let kinds = await watching.end().jsonLines.map(\.["kind"].string)
      #expect(kinds == ["failed", "question"])
    }
  }

  @Test("an event during a slow query is acted on as soon as the query ends")
  func slowQuery() {
    inTroubledWorld { world, server, trouble in
      let watching = try await Watching(in: world)
      try await world.pass(.seconds(10))
      // The end of the first turn is read slowly.
      trouble.at("events?since=0", .proceedAfter(.seconds(6)))
      _ = await world.oppi("ask", "-q", "-w", "demo", "hello")
      try await world.pass(.seconds(1))
      _ = await world.oppi("ask", "-q", "-w", "webapp", "question")
      try await world.pass(.seconds(12))
      #expect(watching.summaries.contains("Waiting for an answer: studio/webapp"))
    }
  }

  @Test("an idle server is asked once a minute while the socket is open")
  func quiet() {
    inWorld { world, server in
      _ = try await Watching(in: world)
      try await world.pass(.seconds(10))
      let before = server.requests.count
      try await world.pass(.seconds(300))
      #expect((3...6).contains(server.requests.count - before))
    }
  }

  @Test("after a restart, the socket is opened again without a message, and nothing is lost")
  func restart() {
    inWorld { world, server in
      let watching = try await Watching(in: world)
      try await world.pass(.seconds(30))
      await server.end(.inOrder)
      try server.start()
      try await world.pass(.seconds(30))
      _ = await world.oppi("ask", "-q", "-w", "demo", "question")
      try await world.pass(.seconds(3))
      #expect(watching.summaries == ["Waiting for an answer: studio/demo"])
      let outcome = await watching.end()
      #expect(!outcome.errors.contains("4001"), "\(outcome)")
    }
  }

  @Test("a watch that starts without the dialect finds the socket")
  func unknown() {
    inWorld(.sessionSockets) { world, server in
      let watching = try await Watching(in: world)
      try await world.pass(.seconds(20))
      #expect(Self.sockets(server).contains("/app/events/stream"))
      _ = await world.oppi("ask", "-q", "-w", "demo", "question")
      try await world.pass(.seconds(3))
      #expect(watching.summaries == ["Waiting for an answer: studio/demo"])
    }
  }

  @Test("with --poll no socket is opened")
  func polling() {
    inWorld { world, server in
      let watching = try await Watching("--poll", "5s", in: world)
      let before = Self.sockets(server).count
      _ = await world.oppi("ask", "-q", "-w", "demo", "question")
      try await world.pass(.seconds(7))
      #expect(watching.summaries == ["Waiting for an answer: studio/demo"])
      #expect(!Self.sockets(server).dropFirst(before).contains("/app/events/stream"))
    }
  }
}
