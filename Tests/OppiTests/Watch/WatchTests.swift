// SPDX-License-Identifier: MIT

import FakeServer
import OppiSystem
import OppiText
import OppiWire
import Simulation
import TestSupport
import Testing

@testable import OppiTestSupport

@Suite struct WatchTests {
  @Test("questions, failures and finished turns are notified, finished turns at a limited rate")
  func kinds() {
    inWorld { world, server in
      let watching = try await Watching("--json", in: world)
      let session = try await world.session(asking: "question")
      try await world.pass(.seconds(20))
      #expect(watching.summaries == ["Waiting for an answer: studio/demo"])
      _ = await world.oppi("answer", "--", session, "1", "")
      try await world.pass(.seconds(20))
      #expect(watching.summaries == ["Turn finished: studio/demo"])
      for _ in 1...3 {
        _ = await world.oppi("ask", "-s", session, "hello")
        try await world.pass(.seconds(20))
      }
      #expect(watching.count(of: "Turn finished: studio/demo") == 1)
      _ = await world.oppi("ask", "-s", session, "empty")
      try await world.pass(.seconds(20))
      #expect(watching.summaries == ["Turn failed: studio/demo"])
      let kinds = await watching.end().jsonLines.map(\.["kind"].string)
      #expect(kinds == ["question", "finished", "failed"])
    }
  }

  @Test("a question that is asked again is shown and printed again")
  func asksAgain() {
    inWorld { world, server in
      let watching = try await Watching("--json", in: world)
      let session = try await world.session(asking: "question")
      try await world.pass(.seconds(20))
      _ = await world.oppi("answer", "--", session, "1", "")
      try await world.pass(.seconds(20))
      _ = await world.oppi("ask", "-q", "-s", session, "question")
      try await world.pass(.seconds(20))
      #expect(watching.count(of: "Waiting for an answer: studio/demo") == 2)
      let kinds = await watching.end().jsonLines.map(\.["kind"].string)
      #expect(kinds == ["question", "finished", "question"])
    }
  }

  @Test("a question in an unknown session is shown within 4 s")
  func question() {
    inWorld { world, server in
      let watching = try await Watching(in: world)
      // At any moment between two checks.
      for offset in [0, 700, 1400, 2100] {
        try await world.pass(.seconds(60) + .milliseconds(offset))
        let before = watching.desktop.history.count
        _ = await world.oppi("ask", "-q", "-w", "demo", "question")
        try await world.pass(.seconds(4))
        #expect(watching.desktop.history.count == before + 1, "\(offset)")
        #expect(watching.desktop.history.last?.summary == "Waiting for an answer: studio/demo")
      }
    }
  }

  @Test("a failure that is received over the stream is shown within a second")
  func failure() {
    inWorld { world, server in
      let session = try await world.session(asking: "hello")
      let watching = try await Watching(in: world)
      try await world.pass(.seconds(60))
      _ = await world.oppi("ask", "-q", "-s", session, "empty")
      try await world.pass(.seconds(1))
      #expect(watching.summaries == ["Turn failed: studio/demo"])
    }
  }

  @Test("status shows the age of a server that is down, and nothing is notified twice")
  func restarts() {
    inWorld { world, server in
      let watching = try await Watching(in: world, asking: "deploy")
      try await world.pass()
      let id = try #require(watching.desktop.shown.first)
      await server.end(.killed)
      try await world.pass(.seconds(320))
      let away = await world.oppi("status", "--json")
      #expect(away.json["stale"] == true && away.json["status"] == "offline", "\(away)")
      #expect((away.json["ageSeconds"].int ?? 0) >= 300, "\(away)")
      try server.start()
      try await world.pass(.seconds(90))
      let back = await world.oppi("status", "--json")
      #expect(back.json["stale"] == false && back.json["status"] == "idle", "\(back)")
      #expect(watching.count(of: id.summary) == 1)
      #expect(watching.summaries == ["Turn ended, outcome unknown: studio/demo"])
      #expect(!watching.summaries.contains(id.summary), "the request is gone with the server")
    }
  }

  @Test("idle sessions that end are not reported as finished turns", arguments: Dialect.all)
  func endsAtRest(dialect: Dialect) {
    inWorld(dialect) {
      $0.limits.loadedSessionsPerWorkspace = 20
      $0.limits.loadedSessions = 20
    } _: { world, server in
      var sessions: [String] = []
      for prompt in ["hello", "empty", "fail"] {
        sessions.append(try await world.session(asking: prompt))
      }
      try await world.pass(.seconds(1000))
      let watching = try await Watching(in: world)
      try await world.pass(.seconds(70))
      #expect(watching.summaries.isEmpty)
      for session in sessions {
        await world.oppi("stop", "--session", "--", session, exits: 0)
        try await world.pass(.seconds(70))
      }
      await server.end(.inOrder)
      try await world.pass(.seconds(20))
      try server.start()
      try await world.pass(.seconds(90))
      #expect(watching.summaries.isEmpty, "\(watching.summaries)")
    }
  }

  @Test("a failed turn stays failed when its session ends")
  func staysFailed() {
    inWorld { world, server in
      let watching = try await Watching(in: world)
      let session = try await world.session(asking: "fail")
      try await world.pass(.seconds(20))
      #expect(await world.oppi("status", "--json").json["status"] == "error")
      await world.oppi("stop", "--session", "--", session, exits: 0)
      try await world.pass(.seconds(70))
      await world.oppi("status", "--json") { $0.json["status"] == "error" }
      _ = await watching.end()
      // The outcome is kept after the watch ends.
      await world.oppi("sessions", "--fields", "outcome") { $0.lines == ["failed"] }
    }
  }

  @Test(
    "a turn that pauses before a retry is running, and only its end is notified",
    arguments: [Dialect.multiplexed, .deviceKeys]
  )
  func retryPause(dialect: Dialect) {
    inWorld(dialect, where: \.retryDelay, is: .seconds(8)) { world, server in
      let watching = try await Watching(in: world, asking: "retry")
      #expect(watching.desktop.history.isEmpty)
      #expect(await world.oppi("status", "--json").json["status"] == "processing")
      let list = await world.oppi("sessions", "--json").json["sessions"].array ?? []
      #expect(list.map(\.["phase"]) == ["running"], "\(list)")
      try await world.pass(.seconds(20))
      #expect(watching.desktop.history.map(\.summary) == ["Turn finished: studio/demo"])
    }
  }

  @Test("the snapshot answers oppi status without a request to the server")
  func snapshot() {
    inWorld { world, server in
      _ = try await Watching(in: world, asking: "deploy")
      try await world.pass(.seconds(3))
      let before = server.requests.count
      await world.oppi("status", "--json") { $0.json["status"] == "awaitingApproval" }
      #expect(server.requests.count == before)
    }
  }

  @Test("a snapshot of a later version is not modified, and a warning is printed once")
  func newerSnapshot() {
    inWorld { world, server in
      let path = "\(World.home)/.local/state/oppi/status.json"
      let text = #"{"version":2}"#
      world.disk.put(Array(text.utf8), at: path)
      let watching = try await Watching(in: world, asking: "hello")
      try await world.pass(.seconds(120))
      let outcome = await watching.end()
      let warnings = outcome.errors.split(separator: "\n").filter { $0.contains("has version 2") }
      #expect(warnings.count == 1 && warnings[0].contains(path), "\(outcome)")
      #expect(world.disk.contents(of: path).map { String(decoding: $0, as: UTF8.self) } == text)
    }
  }

  @Test("--poll opens no stream, which would suppress notifications on phones")
  func poll() {
    inWorld { world, server in
      let streams = server.streams
      let watching = try await Watching("--poll", "30s", in: world)
      _ = await world.oppi("ask", "-q", "-w", "demo", "deploy")
      try await world.pass(.seconds(35))
      #expect(watching.summaries == ["Waiting for approval: studio/demo"])
      #expect(server.streams == streams)
      await world.oppi("watch", "--poll", "1s", exits: 64)
    }
  }

  @Test("a stream is opened once a token is stored")
  func lateToken() {
    inWorld { world, server in
      let path = "\(World.home)/.local/state/oppi/credentials.json"
      let tokens = try #require(world.disk.contents(of: path))
      world.disk.put(Array("{}".utf8), at: path)
      _ = try await Watching(in: world)
      #expect(server.streams == 0)
      world.disk.put(tokens, at: path)
      try await world.pass(.seconds(60))
      #expect(server.streams == 1)
    }
  }

  @Test("a watch is ready when each server has answered or failed, and not before")
  func ready() {
    let trouble = Trouble()
    inWorld { world, _ in
      let manager = try ManagerSocket()
      _ = try await world.addServer(named: "attic") { $0.interceptor = trouble.interceptor }
      trouble.begin { $0.isRequest ? .hang : .proceed }
      let watching = try await Watching(in: world, environment: ["NOTIFY_SOCKET": manager.path])
      #expect(manager.next() == "")
      try await world.pass(.seconds(20))
      #expect(manager.next() == "READY=1" && manager.next() == "")
      _ = await watching.end()
      #expect(manager.next() == "STOPPING=1")
    }
  }

  @Test("a user can run a single watch, which requires a paired server")
  func alone() {
    inWorld { world, server in
      let watching = try await Watching(in: world)
      await world.oppi("watch", exits: 75, saying: "already running")
      _ = await watching.end()
      _ = await world.oppi("servers", "forget", "studio")
      await world.oppi("watch", exits: 78)
    }
  }

  @Test("--private shows no prompts or commands, and offers no approval")
  func isPrivate() {
    inWorld { world, server in
      let watching = try await Watching("--private", in: world, asking: "deploy")
      let notification = try #require(watching.desktop.shown.first)
      #expect(notification.summary == "Waiting for approval" && notification.body == "studio")
      #expect(!notification.actions.contains { $0.label == "Approve" })
    }
  }

  @Test("a restarted desktop shows pending requests again")
  func desktopRestarts() {
    inWorld { world, server in
      let watching = try await Watching(in: world, asking: "deploy")
      watching.desktop.restart()
      try await world.pass(.seconds(20))
      #expect(watching.summaries == ["Waiting for approval: studio/demo"])
      let outcome = await watching.end()
      #expect(watching.summaries.isEmpty, "its buttons no longer work")
      #expect(outcome.status == 130, "\(outcome)")
      #expect(outcome.lines.count == 1, "printed once, however often it is shown")
    }
  }

  @Test("a desktop that starts after the watch replaces the user's command")
  func desktopStarts() {
    inWorld { world, server in
      world.programs.put("phone", printing: "")
      await world.oppi("config", "set", "notify.command", "phone", exits: 0)
      let watching = try await Watching(in: world, isDesktopRunning: false, asking: "deploy")
      try await world.pass(.seconds(35))
      watching.desktop.start()
      try await world.pass(.seconds(40))
      let notification = try #require(watching.desktop.shown.first)
      #expect(watching.desktop.press("Yes", on: notification))
      try await world.pass()
      #expect(server.decisions == 1)
      #expect(world.programs.runs.count { $0.arguments == ["phone"] } == 1)
    }
  }

  @Test(
    "watch starts no agent and loads no session",
    arguments: [Dialect.multiplexed, .deviceKeys]
  )
  func startsNothing(dialect: Dialect) {
    inWorld(dialect) { world, server in
      let session = try await world.session(asking: "hello")
      _ = await world.oppi("stop", "--session", "--", session)
      let count = (messages: server.messages.count, streams: server.streams)
      _ = try await Watching(in: world)
      _ = await world.oppi("ask", "-q", "-w", "webapp", "silent")
      try await world.pass(.seconds(200))
      let outcome = await world.oppi("sessions", "--json")
      #expect(outcome.json["places"].array?.map(\.["workspace"]) == ["webapp"], "\(outcome)")
      let levels = server.messages.dropFirst(count.messages).map(\.json["level"].string)
        .compactMap(\.self)
      let sockets = server.requests.map(\.path).filter { $0.hasSuffix("/stream") }
        .dropFirst(count.streams)
      if dialect == .multiplexed {
        #expect(levels == ["full", "notifications"], "the first subscription is for the prompt")
      } else {
        #expect(sockets == ["/app/events/stream"] && levels.isEmpty)
      }
    }
  }
}
