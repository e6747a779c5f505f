// SPDX-License-Identifier: MIT

import FakeServer
import OppiSystem
import OppiText
import OppiWire
import Simulation
import Testing

@testable import OppiTestSupport

/// Approvals on the desktop by `oppi watch`: a button decides the request that it showed.
@Suite struct WatchApprovalTests {
  private static func answer(_ world: World, _ session: String) async throws -> String {
    try await world.pass()
    return await world.oppi("show", "--", session).output
  }

  @Test("an approval has a notification with buttons, and Approve lets the agent continue")
  func approves() {
    inWorld(.gated) { world, server in
      let watching = try await Watching(in: world)
      let session = try await world.session(asking: "deploy")
      let notification = try #require(watching.desktop.shown.first)
      #expect(notification.summary == "Waiting for approval: studio/demo")
      #expect(notification.body.contains("\ngit push origin main\n"), "\(notification)")
      #expect(notification.actions.map(\.label) == ["Approve", "Deny", "Open", "Open"])
      #expect(watching.desktop.press("Approve", on: notification))
      #expect(try await Self.answer(world, session) == "The branch is pushed.\n")
      #expect(watching.count(of: "Approved") == 1)
      // A second press, too late.
      #expect(watching.desktop.press("Approve", on: notification))
      try await world.pass()
      #expect(watching.summaries.last == "No longer pending")
      #expect(server.decisions == 1)
      let outcome = await watching.end()
      #expect(
        outcome.lines.contains { $0.hasPrefix("Approved: git push origin main") },
        "\(outcome)"
      )
    }
  }

  @Test("a high-risk call can be denied on the desktop but not approved")
  func highRisk() {
    inWorld(.gated) { world, server in
      let watching = try await Watching(in: world)
      let session = try await world.session(asking: "wipe")
      let notification = try #require(watching.desktop.shown.first)
      #expect(!notification.actions.contains { $0.label == "Approve" }, "\(notification)")
      #expect(watching.desktop.press("Deny", on: notification))
      #expect(try await Self.answer(world, session) == "Not cleared: Denied by user\n")
    }
  }

  @Test(
    "a notification is shown once, and withdrawn if the request is decided elsewhere",
    arguments: Dialect.both
  )
  func decidedElsewhere(dialect: Dialect) {
    inWorld(dialect) { world, server in
      let watching = try await Watching(in: world, asking: "deploy")
      try await world.pass(.seconds(20))
      #expect(watching.summaries == ["Waiting for approval: studio/demo"])
      let approvals = await world.oppi("approvals", "--json")
      let id = try #require(approvals.json["approvals"].array?.first?["id"].string)
      _ = await world.oppi("deny", "--", id)
      try await world.pass(.seconds(20))
      #expect(!watching.summaries.contains("Waiting for approval: studio/demo"))
      #expect(watching.count(of: "Waiting for approval: studio/demo") == 1)
      #expect(watching.count(of: "Turn finished: studio/demo") == 1)
    }
  }

  @Test("a press decides only on the server shown, even if another server has the same id")
  func sameID() {
    let (one, other) = (Trouble(), Trouble())
    inWorld(.gated, where: \.interceptor, is: one.interceptor) { world, studio in
      let harmful = try await world.session(asking: "hello")
      var configuration = FakeServer.Configuration()
      configuration.name = "attic"
      configuration.interceptor = other.interceptor
      let attic = try await world.addServer(configuration)
      let harmless = await world.oppi("ask", "-q", "-w", "attic/demo", "hello").lines.first ?? ""
      one.begin {
        $0.isRequest("/pending") ? .pending([.call("same1", in: harmful, "rm -rf /")]) : .proceed
      }
      other.begin {
        $0.isRequest("/pending") ? .pending([.call("same1", in: harmless, "ls")]) : .proceed
      }
      let watching = try await Watching(in: world)
      let shown = try #require(watching.desktop.shown.first { $0.body.contains("\nls\n") })
      other.begin { $0.isRequest("/pending") ? .answer(status: 500, error: "no") : .proceed }
      try await world.pass(.seconds(20))
      #expect(watching.desktop.press("Approve", on: shown))
      try await world.pass()
      #expect(studio.decisions == 0 && attic.decisions == 0)
      #expect(watching.count(of: "Approved") == 0)
    }
  }

  @Test("another call with the same id is shown again, and an earlier press does not approve it")
  func changed() {
    inTroubledWorld(.gated) { world, server, trouble in
      let session = try await world.session(asking: "hello")
      trouble.pending(.call("same1", in: session, "ls"))
      let watching = try await Watching(in: world)
      let shown = try #require(watching.desktop.shown.first)
      trouble.pending(.call("same1", in: session, "rm -rf /"))
      #expect(watching.desktop.press("Approve", on: shown))
      try await world.pass(.seconds(20))
      #expect(server.decisions == 0)
      let present = try #require(watching.desktop.shown.last { $0.tag == shown.tag })
      #expect(present.body.contains("rm -rf /"), "\(present)")
      #expect(!present.actions.contains { $0.label == "Approve" })
    }
  }

  @Test("a press for a request that is gone shows the request again that replaced it")
  func crossed() {
    inTroubledWorld(.gated) { world, server, trouble in
      let session = try await world.session(asking: "hello")
      trouble.pending(.call("first1", in: session, "ls"))
      let watching = try await Watching(in: world)
      let first = try #require(watching.desktop.shown.first)
      trouble.pending(.call("second1", in: session, "pwd"))
      try await world.pass(.seconds(20))
      #expect(watching.desktop.press("Approve", on: first))
      try await world.pass(.seconds(20))
      #expect(server.decisions == 0 && watching.count(of: "No longer pending") == 1)
      let present = try #require(watching.desktop.shown.last { $0.tag == first.tag })
      #expect(present.body.contains("\npwd\n"), "\(present)")
    }
  }

  @Test(
    "two presses at once send one reply",
    arguments: [["Approve", "Approve"], ["Deny", "Approve"], ["Approve", "Deny"]]
  )
  func doublePress(labels: [String]) {
    inWorld(.gated) { world, server in
      let watching = try await Watching(in: world, asking: "deploy")
      let notification = try #require(watching.desktop.shown.first)
      for label in labels { #expect(watching.desktop.press(label, on: notification)) }
      try await world.pass()
      #expect(server.decisions == 1)
      #expect(watching.count(of: labels[0] == "Deny" ? "Denied" : "Approved") == 1)
      #expect(watching.count(of: "No longer pending") == 0)
    }
  }

  private struct NotShown: Error {}

  /// Makes an agent ask, and returns its notification within 100 ms.
  private static func request(
    _ prompt: String = "deploy",
    in world: World,
    shownBy watching: Watching
  ) async throws -> DesktopNotification {
    let earlier = Set(watching.desktop.history.map(\.tag))
    let asking = world.begin("ask", "-q", "-w", "demo", prompt)
    for _ in 0..<300 {
      try await world.pass(.milliseconds(100))
      let shown = watching.desktop.shown.last { !earlier.contains($0.tag) }
      if let shown { return shown }
    }
    _ = await asking.value
    throw NotShown()
  }

  @Test("a press within a second of the notification approves nothing, but can deny")
  func hasty() {
    inWorld(.gated) { world, server in
      let watching = try await Watching(in: world)
      let early = try await Self.request(in: world, shownBy: watching)
      #expect(watching.desktop.press("Approve", on: early))
      try await world.pass(.seconds(3))
      #expect(server.decisions == 0)
      #expect(watching.count(of: "Not decided: pressed too soon after it was shown") == 1)
      let again = try #require(watching.desktop.shown.last { $0.tag == early.tag })
      #expect(watching.desktop.press("Approve", on: again))
      try await world.pass(.seconds(3))
      #expect(server.decisions == 1 && watching.count(of: "Approved") == 1)
      let other = try await Self.request(in: world, shownBy: watching)
      #expect(watching.desktop.press("Deny", on: other))
      try await world.pass(.seconds(3))
      #expect(server.decisions == 2 && watching.count(of: "Denied") == 1)
    }
  }

  @Test("the server's own No is a denial, which a press sends at once")
  func hastyNo() {
    inWorld { world, server in
      let watching = try await Watching(in: world)
      let shown = try await Self.request("gate", in: world, shownBy: watching)
      #expect(watching.desktop.press("No", on: shown))
      try await world.pass(.seconds(3))
      #expect(server.commands.map(\.["value"]) == ["No"], "\(watching.summaries)")
    }
  }
}
