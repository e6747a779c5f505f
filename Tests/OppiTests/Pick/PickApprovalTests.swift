// SPDX-License-Identifier: MIT

import OppiModel
import OppiSystem
import OppiText
import OppiWire
import Simulation
import Synchronization
import TestSupport
import Testing

@testable import OppiClient
@testable import OppiTestSupport

/// Decisions by `oppi pick`.
@Suite struct PickApprovalTests {
  @Test("a request is decided as it was shown, and Enter alone approves nothing")
  func decides() {
    inWorld(.gated) { world, server in
      _ = try await world.session(asking: "deploy")
      let leaving = MenuUser(in: world, "! ", "Open")
      _ = await world.pick()
      let menu = leaving.seen.last ?? []
      #expect(menu.first == "Open in a terminal", "\(menu)")
      #expect(menu.contains("|   git push origin main"), "\(menu)")
      #expect(menu.suffix(2) == ["Deny", "Approve once"] && server.decisions == 0, "\(menu)")
      #expect(world.programs.detached.count == 1)
      // A row of the call itself decides nothing.
      _ = MenuUser(in: world, "! ", "|   git push")
      _ = await world.pick()
      #expect(server.decisions == 0)
      _ = MenuUser(in: world, "! ", "Approve", "Yes")
      let approved = await world.pick("approvals")
      #expect(approved.status == 0 && server.decisions == 1, "\(approved)")
      let none = await world.pick("approvals")
      #expect(none.status == 66 && none.errors.contains("no pending approvals"), "\(none)")
    }
  }

  @Test("an approval is confirmed in a second menu, whose first row returns to the call")
  func askedTwice() {
    inWorld(.gated) { world, server in
      _ = try await world.session(asking: "deploy")
      // In the second confirmation, a row of the call is selected.
      let person = MenuUser(in: world, "! ", "Approve", "No", "Approve", "|   git push", nil)
      let outcome = await world.pick("approvals")
      #expect(outcome.status == 130 && server.decisions == 0, "\(outcome)")
      let menus = person.seen
      try #require(menus.count == 6, "\(menus)")
      #expect(menus[2].first == "No, go back" && menus[2].last == "Yes, run it once")
      #expect(menus[2].contains("|   git push origin main"), "\(menus)")
      #expect(menus[1] == menus[3] && menus[3] == menus[5] && menus[2] == menus[4], "\(menus)")
    }
  }

  @Test("an approval that is faster than reading the call is requested again")
  func hasty() {
    inWorld(.gated) { world, server in
      _ = try await world.session(asking: "deploy")
      let person = MenuUser(in: world, pausing: .milliseconds(900), "! ", "Approve", "Approve", nil)
      let outcome = await world.pick("approvals")
      #expect(outcome.status == 130 && server.decisions == 0, "\(outcome)")
      #expect(person.seen.count == 4 && person.seen[1] == person.seen[3], "\(person.seen)")
    }
  }

  @Test("a menu program that answers automatically approves nothing and fails")
  func byItself() {
    inWorld(.gated) { world, server in
      _ = try await world.session(asking: "deploy")
      world.programs.put("rofi") { program in
        let rows = String(decoding: program.input, as: UTF8.self).split(separator: "\n")
        return ChildProcess.Outcome(output: Array("\(rows.count - 1)\n".utf8), status: 0)
      }
      let outcome = await world.pick("approvals")
      #expect(outcome.status == 78 && outcome.errors.contains("too fast"), "\(outcome)")
      #expect(server.decisions == 0)
    }
  }

  @Test("a high-risk call cannot be approved in a menu")
  func risky() {
    inWorld(.gated) { world, server in
      _ = try await world.session(asking: "wipe")
      let person = MenuUser(in: world, "! ", "Deny")
      let outcome = await world.pick("approvals")
      #expect(person.seen.last?.contains { $0.hasPrefix("Approve") } == false, "\(person.seen)")
      #expect(outcome.status == 0 && outcome.output.contains("denied"), "\(outcome)")
    }
  }

  @Test("a menu for a decision is shown without the user's own options")
  func decisionOptions() {
    inWorld(.gated) { world, server in
      _ = try await world.session(asking: "deploy")
      _ = MenuUser(in: world, "! ", nil)
      _ = await world.pick("approvals", "--picker", "rofi -auto-select")
      let arguments = world.programs.runs.map(\.arguments)
      #expect(arguments.first?.contains("-auto-select") == true)
      #expect(arguments.last?.prefix(2) == ["rofi", "-no-config"], "\(arguments)")
      // It is unknown what another program shows, so it offers no approval.
      let rows = Mutex<[String]>([])
      world.programs.put("mine") { program in
        let text = String(decoding: program.input, as: UTF8.self)
        rows.withLock { $0 = text.split(separator: "\n").map(String.init) }
        return ChildProcess.Outcome(
          output: Array((text.prefix { $0 != "\n" } + "\n").utf8),
          status: 0
        )
      }
      _ = await world.pick("approvals", "--picker", "mine")
      let seen = rows.withLock(\.self)
      #expect(seen.first?.hasPrefix("Open") == true && seen.last == "Deny", "\(seen)")
    }
  }

  @Test("a decision on a request that was settled meanwhile is too late")
  func late() {
    inWorld(.gated) { world, server in
      let id = try await world.session(asking: "deploy")
      _ = MenuUser(in: world, ("! ", ""), ["Approve", "Yes"]) {
        _ = await world.oppi("stop", "--", id)
      }
      let outcome = await world.pick("approvals")
      #expect(outcome.status == 5 && outcome.errors.contains("no longer pending"), "\(outcome)")
    }
  }

  @Test("a request that has expired since the snapshot is not offered")
  func expired() {
    inWorld { world, server in
      for (seconds, status) in [(0, 66), (600, 130)] as [(Int, Int32)] {
        let end = world.loop.timestamp().moved(by: .seconds(seconds))
        let request = PendingApproval.sample("r", expiresAt: end)
        world.keep([.sample("s", .waiting, approvals: [request])], of: server)
        _ = MenuUser(in: world, nil)
        let outcome = await world.pick("approvals")
        #expect(outcome.status == status, "\(outcome)")
      }
    }
  }
}
